"""Which program and verb a command line really runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, seen through its wrappers.

    Attributes:
        text: the command as typed.
        program: basename of what runs, lower case, without ``.exe``; "" when nothing single runs.
        verb: the first sub-command after global options, "" if there is none.
        argv: effective argv: program first, wrappers and environment removed.
        compound: several substantive commands; no specific rule applies.
        piped: output went through a pipe; `program` is the last stage.
        redirected: output goes into a file or a consumer that is not ours to touch.
        runner: the wrapper seen through last, e.g. ``npx`` or ``sudo``.
    """

    text: str
    program: str = ""
    verb: str = ""
    argv: tuple[str, ...] = ()
    compound: bool = False
    piped: bool = False
    redirected: bool = False
    runner: str = ""


def identify(command: str | None, argv: Sequence[str] | None = None) -> Command | None:
    """Returns what really runs, or None where neither a command nor an argv is given."""
    raise NotImplementedError
