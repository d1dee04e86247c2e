"""The MCP server on stdio: retrieve (read-only), compress, stats.

Only the protocol goes to stdout. Started by `tj mcp`; needs the ``[serve]`` extra.
"""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

import tokenjuice_ml
from tokenjuice_ml import savings
from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr import retrieve as back
from tokenjuice_ml.errors import TokenJuiceError
from tokenjuice_ml.prompt import PARAGRAPH
from tokenjuice_ml.settings import Settings

LAST_BYTE = 1 << 62


class _Strict(MCPServer[Any]):
    """Tells a caller which of his arguments nobody knows, where the base class would drop it."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Calls a tool.

        Raises:
            ToolError: an argument that the tool does not have, or what the tool itself raises.
        """
        known = _parameters(name)
        for argument in arguments if known else ():
            if argument not in known:
                raise ToolError(f"{name}: unknown argument '{argument}'; known: {', '.join(known)}")
        return await super().call_tool(name, arguments, context)


@lru_cache(maxsize=16)
def _parameters(name: str) -> tuple[str, ...]:
    tool = getattr(Tools, name, None) if name.startswith("tokenjuice_") else None
    return tuple(signature(tool).parameters)[1:] if tool is not None else ()


def build(settings: Settings | None = None) -> MCPServer[Any]:
    """Returns the server with its three tools, on the user's own disk store."""
    settings = Settings.load() if settings is None else settings
    server = _Strict(
        "tokenjuice", instructions=PARAGRAPH, version=tokenjuice_ml.__version__, log_level="ERROR"
    )
    tools = Tools(TokenJuice(settings, surface="mcp", disk=True), settings)
    server.tool(
        description="The original behind a partial view, or a part of it. Read-only. Ask for the lines you need.",
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        structured_output=False,
    )(tools.tokenjuice_retrieve)
    server.tool(
        description="Cuts a tool's output to what matters; the original stays retrievable by its token.",
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
        structured_output=True,
    )(tools.tokenjuice_compress)
    server.tool(
        description="What was saved so far, in tokens and money.",
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
        structured_output=True,
    )(tools.tokenjuice_stats)
    return server


class Tools:
    """The three tools; names and parameters are what clients see."""

    def __init__(self, juice: TokenJuice, settings: Settings) -> None:
        self._juice, self._settings = juice, settings

    def tokenjuice_retrieve(
        self,
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

        Raises:
            ToolError: nothing is kept under the token, or it is none.
        """
        store = self._juice.store
        if store is None:
            raise ToolError("the store of originals is off or cannot be opened; `tj doctor` says why")
        found = back.view(
            store,
            token,
            lines=_range(first_line, last_line, 1, -1),
            bytes_=_range(first_byte, end_byte, 0, LAST_BYTE),
            around=around,
            context=context,
            grep=grep,
            page=0 if whole else back.PAGE_LINES,
        )
        if found.text is None:
            raise ToolError(found.error)
        if self._settings.savings_enabled:
            savings.debit_part(token, found.text)
        return back.signed(found, token)

    def tokenjuice_compress(
        self,
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
        """Cuts a text; the hints are those of `TokenJuice.compress`."""
        hints = {name: value for name, value in locals().items() if name not in ("self", "text")}
        try:
            return self._juice.compress(text, **hints).to_json()
        except TokenJuiceError as error:
            raise ToolError(str(error)) from error

    def tokenjuice_stats(self, days: float | None = None) -> dict[str, Any]:
        """The ledger of the last `days`, or of all time."""
        from datetime import datetime

        since = datetime.now().timestamp() - days * savings.DAY_S if days else 0.0
        try:
            return {"total": savings.totals(since), "by_compressor": savings.by("compressor", since)}
        except TokenJuiceError as error:
            raise ToolError(str(error)) from error


def _range(first: int | None, last: int | None, lowest: int, highest: int) -> tuple[int, int] | None:
    """Returns both ends of a range of which at least one was given, else None."""
    if first is None and last is None:
        return None
    return first if first is not None else lowest, last if last is not None else highest


def main() -> None:
    """Serves on stdin and stdout until the client goes away."""
    build().run("stdio")
