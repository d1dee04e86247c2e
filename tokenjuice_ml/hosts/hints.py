"""What a tool call's name and arguments say about its output."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

COMMANDS = ("command", "cmd", "script")
PATHS = ("path", "file_path", "file", "filename")
QUERIES = ("query", "pattern", "search", "q", "regex")
# Only tools that run a shell have a command; `command` of another tool may mean anything.
SHELL_WORDS = ("exec", "bash", "shell", "terminal", "command", "run")


def from_call(name: str, arguments: Mapping[str, Any] | str | None) -> dict[str, Any]:
    """Returns hints for `compress` from a tool's name and its arguments.

    Args:
        name: the tool's name.
        arguments: as a mapping or as JSON text; what cannot be read gives no hints.

    >>> from_call("read_file", {"path": "a/b.py"})["extension"]
    '.py'
    """
    hints: dict[str, Any] = {"tool": name}
    if isinstance(arguments, str):
        hints["arguments_json"] = arguments
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return hints
    elif arguments is not None:
        hints["arguments_json"] = json.dumps(arguments, default=str)
    if not isinstance(arguments, Mapping):
        return hints
    command = _first(arguments, COMMANDS)
    if command and any(word in name.lower() for word in SHELL_WORDS):
        hints["command"] = command
        hints["tool"] = "exec"
    path = _first(arguments, PATHS)
    if path and os.path.splitext(path)[1]:
        hints["extension"] = os.path.splitext(path)[1]
    query = _first(arguments, QUERIES)
    if query:
        hints["query"] = query
    return hints


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), None)
