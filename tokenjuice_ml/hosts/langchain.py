"""LangChain and LangGraph: tool messages cut before the model sees them. Extra: ``[langchain]``.

ToolNode(tools, wrap_tool_call=tool_call_wrapper())
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain_core.messages import ToolMessage

from tokenjuice_ml.api import Interceptor
from tokenjuice_ml.hosts.hints import from_call


def cut_message(
    message: ToolMessage,
    arguments: Mapping[str, Any] | None = None,
    interceptor: Interceptor | None = None,
    **hints: Any,
) -> ToolMessage:
    """Returns a copy of `message` with its text cut; artifact, id and status stay.

    Args:
        message: a tool's answer; text parts of list content are cut one by one, others stay.
        arguments: arguments of the call, for hints.
        interceptor: what cuts; default one with the user's settings.
        **hints: what is known besides, e.g. ``exit_code`` or ``query``.
    """
    juice = interceptor or Interceptor()
    known = {**from_call(message.name or "", arguments), **hints}
    if message.status == "error":
        known.setdefault("exit_code", 1)
    if isinstance(message.content, str):
        content: Any = juice(message.content, **known)
    else:
        content = [_part(part, juice, known) for part in message.content]
    return message.model_copy(update={"content": content})


def _part(part: Any, juice: Interceptor, hints: dict[str, Any]) -> Any:
    if isinstance(part, str):
        return juice(part, **hints)
    if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str):
        return {**part, "text": juice(part["text"], **hints)}
    return part


def tool_call_wrapper(interceptor: Interceptor | None = None) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """Returns what LangGraph's ``ToolNode(wrap_tool_call=...)`` takes."""
    juice = interceptor or Interceptor()

    def wrap(request: Any, execute: Callable[[Any], Any]) -> Any:
        answer = execute(request)
        if isinstance(answer, ToolMessage):
            return cut_message(answer, request.tool_call.get("args"), juice)
        return answer

    return wrap


def async_tool_call_wrapper(
    interceptor: Interceptor | None = None,
) -> Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]:
    """Returns what LangGraph's ``ToolNode(awrap_tool_call=...)`` takes."""
    juice = interceptor or Interceptor()

    async def wrap(request: Any, execute: Callable[[Any], Awaitable[Any]]) -> Any:
        import asyncio

        answer = await execute(request)
        if isinstance(answer, ToolMessage):
            return await asyncio.to_thread(cut_message, answer, request.tool_call.get("args"), juice)
        return answer

    return wrap
