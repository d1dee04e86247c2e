"""OpenAI Agents SDK: function tools whose results are cut. Extra: ``[openai-agents]``.

Agent(name="...", tools=wrap_tools([run_tests, read_log]))
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from agents import FunctionTool

from tokenjuice_ml.api import Interceptor
from tokenjuice_ml.hosts.hints import from_call


def wrap_tool(tool: FunctionTool, interceptor: Interceptor | None = None, **hints: Any) -> FunctionTool:
    """Returns a copy of `tool` whose text results are cut; other results stay.

    Args:
        tool: a function tool.
        interceptor: what cuts; default one with the user's settings.
        **hints: what is known besides the call's name and arguments.
    """
    juice = interceptor or Interceptor()
    invoke = tool.on_invoke_tool

    async def cut(context: Any, arguments: str) -> Any:
        answer = await invoke(context, arguments)
        if not isinstance(answer, str):
            return answer
        known = {**from_call(tool.name, arguments), **hints}
        return await asyncio.to_thread(juice, answer, **known)

    return replace(tool, on_invoke_tool=cut)


def wrap_tools(tools: Iterable[Any], interceptor: Interceptor | None = None) -> list[Any]:
    """Returns `tools` with every function tool wrapped; hosted tools stay as they are."""
    juice = interceptor or Interceptor()
    return [wrap_tool(tool, juice) if isinstance(tool, FunctionTool) else tool for tool in tools]
