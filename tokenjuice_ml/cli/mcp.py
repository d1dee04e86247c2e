"""``tj mcp``: the MCP server on stdio."""

from __future__ import annotations

from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError


def run(argv: list[str]) -> int:
    """Serves until the client goes away."""
    common.parser("mcp", "MCP server on stdio: tokenjuice_retrieve, _compress, _stats.").parse_args(argv)
    try:
        from tokenjuice_ml import mcp_server
    except ImportError as error:
        raise RequestError(f"needs: pip install 'tokenjuice-ml[serve]' ({error})") from None
    mcp_server.main()
    return 0
