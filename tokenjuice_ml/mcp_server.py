"""The MCP server on stdio: retrieve (read-only), compress, stats.

Only the protocol goes to stdout. Started by `tj mcp`; needs the ``[serve]`` extra.
"""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

import tokenjuice_ml
from tokenjuice_ml import savings
from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr import retrieve as back
from tokenjuice_ml.ccr.token import parse
from tokenjuice_ml.errors import TokenJuiceError
from tokenjuice_ml.prompt import PARAGRAPH
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.tokens import estimate

LAST_BYTE = 1 << 62


def build(settings: Settings | None = None) -> MCPServer[Any]:
    """Returns the server with its three tools, on the user's own disk store."""
    settings = Settings.load() if settings is None else settings
    juice = TokenJuice(settings, surface="mcp", disk=True)
    server: MCPServer[Any] = MCPServer(
        "tokenjuice", instructions=PARAGRAPH, version=tokenjuice_ml.__version__, log_level="ERROR"
    )

    @server.tool(
        description="The original behind a partial view, or a part of it. Read-only. Ask for the lines you need.",
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        structured_output=False,
    )
    def tokenjuice_retrieve(
        token: str,
        first_line: int | None = None,
        last_line: int | None = None,
        around: int | None = None,
        context: int | None = None,
        grep: str | None = None,
        first_byte: int | None = None,
        end_byte: int | None = None,
        whole: bool = False,
    ) -> str:
        """Retrieves.

        Args:
            token: as printed in the footer, with or without its marker.
            first_line: first original line; negative counts from the end.
            last_line: last original line, inclusive.
            around: an original line to show with its surroundings.
            context: lines on each side of `around` (20) or of a match (2).
            grep: show the lines that hold this text or match this pattern, case ignored.
            first_byte: first byte, 0-based, for very long lines; negative counts from the end.
            end_byte: byte behind the last one.
            whole: everything instead of one page.
        """
        store = juice.store
        if store is None:
            return "the store of originals is switched off or cannot be opened on this machine"
        lines = span = None
        if first_line is not None or last_line is not None:
            lines = (first_line if first_line is not None else 1, last_line if last_line is not None else -1)
        if first_byte is not None or end_byte is not None:
            span = (first_byte or 0, end_byte if end_byte is not None else LAST_BYTE)
        found = back.view(
            store,
            token,
            lines=lines,
            bytes_=span,
            around=around,
            context=context,
            grep=grep,
            page=0 if whole else back.PAGE_LINES,
        )
        if found.text is None:
            return found.error
        if settings.savings_enabled:
            savings.debit(parse(token) or "", estimate(found.text))
        return back.signed(found, token)

    @server.tool(
        description="Cuts a tool's output to what matters; the original stays retrievable by its token.",
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
        structured_output=True,
    )
    def tokenjuice_compress(
        text: str,
        tool: str | None = None,
        command: str | None = None,
        argv: list[str] | None = None,
        exit_code: int | None = None,
        cwd: str | None = None,
        kind: str | None = None,
        mime: str | None = None,
        extension: str | None = None,
        query: str | None = None,
        arguments_json: str | None = None,
        model: str | None = None,
        bypass: bool = False,
        options: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        hints = {
            "tool": tool,
            "command": command,
            "argv": argv,
            "exit_code": exit_code,
            "cwd": cwd,
            "kind": kind,
            "mime": mime,
            "extension": extension,
            "query": query,
            "arguments_json": arguments_json,
            "model": model,
            "bypass": bypass,
            "options": options,
        }
        try:
            return juice.compress(text, **hints).to_json()
        except TokenJuiceError as error:
            return {"error": str(error)}

    @server.tool(
        description="What was saved so far, in tokens and money.",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        structured_output=True,
    )
    def tokenjuice_stats(days: float | None = None) -> dict[str, Any]:
        from datetime import datetime

        since = datetime.now().timestamp() - days * savings.DAY_S if days else 0.0
        return {"total": savings.totals(since), "by_compressor": savings.by("compressor", since)}

    return server


def main() -> None:
    """Serves on stdin and stdout until the client goes away."""
    build().run("stdio")
