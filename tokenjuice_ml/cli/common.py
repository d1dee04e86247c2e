"""What verbs share: hint flags, settings flags, instances with a disk store, output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tokenjuice_ml.settings import Settings, parse_text

if TYPE_CHECKING:
    import argparse

    from tokenjuice_ml.api import TokenJuice

_HINTS = (
    *("tool", "command", "exit_code", "cwd", "kind", "mime", "extension", "query", "arguments_json", "model"),
)
# Of these any value will do.
_PLAIN_HINTS = frozenset(_HINTS) - {"kind"}
_MOST_DIGITS = 1000
KINDS = ("json", "diff", "html", "search", "code", "log", "plain_text")


def parser(verb: str, about: str, **more: Any) -> argparse.ArgumentParser:
    """Returns the parser of a verb."""
    import argparse

    def as_wide_as_the_terminal(prog: str) -> argparse.HelpFormatter:
        # argparse would import `shutil` (8 ms) to find out.
        return argparse.RawDescriptionHelpFormatter(prog, width=_columns() - 2)

    return argparse.ArgumentParser(
        prog=f"tj {verb}", description=about, formatter_class=as_wide_as_the_terminal, **more
    )


def plain(argv: Sequence[str], flags: Sequence[str]) -> SimpleNamespace | None:
    """Returns what `add_hints` and one file would be parsed to, None where it takes argparse to say.

    Most calls give `--name value` pairs and no more; argparse costs them 7 ms.

    Args:
        argv: the words of the command line.
        flags: names of switches besides `--raw`.
    """
    found: dict[str, Any] = dict.fromkeys(_HINTS) | dict.fromkeys(flags, False)
    found |= {"bypass": False, "options": [], "file": None, "argv": None}
    words = iter(argv)
    for word in words:
        name, sign, value = word.partition("=")
        key = "bypass" if word == "--raw" else name[2:].replace("-", "_")
        if word == "-" or not word.startswith("-"):
            if found["file"] is not None:
                return None
            found["file"] = word
        elif word == "--raw" or (key in flags and not sign):
            found[key] = True
        elif key in _PLAIN_HINTS and name.startswith("--") and "_" not in name:
            value = value if sign else next(words, "-")
            if value.startswith("-"):
                return None
            found[key] = value
        else:
            return None
    if found["exit_code"] is not None:
        # int() refuses thousands of digits: argparse says so in its words.
        if not found["exit_code"].isdecimal() or len(found["exit_code"]) > _MOST_DIGITS:
            return None
        found["exit_code"] = int(found["exit_code"])
    return SimpleNamespace(**{**found, "file": "-" if found["file"] is None else found["file"]})


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size().columns or 80
    except (OSError, ValueError):
        return 80


def add_hints(to: argparse.ArgumentParser) -> None:
    """Adds one flag for each hint, and `--set` for settings."""
    group = to.add_argument_group("hints (all optional)")
    group.add_argument("--tool", help="name of the tool, e.g. exec or read_file")
    group.add_argument("--command", help="the command line as typed")
    group.add_argument("--argv", metavar="JSON", help="the command as a JSON list")
    group.add_argument("--exit-code", type=int, metavar="N", help="exit status of the command")
    group.add_argument("--cwd", help="its working directory")
    group.add_argument("--kind", choices=KINDS, help="the kind, where it is known")
    group.add_argument("--mime", help="media type of the text")
    group.add_argument("--extension", help="file extension")
    group.add_argument("--query", help="what the agent is looking for")
    group.add_argument("--arguments-json", metavar="JSON", help="arguments of the tool call")
    group.add_argument("--model", help="model that will read the result")
    group.add_argument("--raw", dest="bypass", action="store_true", help="change nothing")
    add_settings(to)


def add_settings(to: argparse.ArgumentParser) -> None:
    """Adds `--set KEY=VALUE` for any setting."""
    to.add_argument(
        "--set",
        dest="options",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting for this call",
    )


def hints_of(args: argparse.Namespace | SimpleNamespace) -> dict[str, Any]:
    """Returns the hints that were given on the command line."""
    hints: dict[str, Any] = {name: getattr(args, name) for name in _HINTS if getattr(args, name) is not None}
    if args.argv:
        from tokenjuice_ml.errors import RequestError

        try:
            hints["argv"] = json.loads(args.argv)
        except ValueError as error:
            raise RequestError(f"--argv must be a JSON list of strings: {error}") from None
    if args.bypass:
        hints["bypass"] = True
    return hints


def options_of(args: argparse.Namespace | SimpleNamespace) -> dict[str, Any]:
    """Returns the settings given with `--set`."""
    from tokenjuice_ml.errors import SettingsError

    options = {}
    for pair in args.options:
        key, sign, value = pair.partition("=")
        if not sign:
            raise SettingsError(f"--set wants KEY=VALUE, not '{pair}'")
        options[key] = parse_text(key, value, "--set")
    return options


def load_settings(cwd: str | None = None) -> Settings:
    """Returns the settings, telling each problem once on stderr."""
    problems: list[str] = []
    settings = Settings.load(cwd, problems=problems)
    for problem in problems:
        sys.stderr.write(f"tj: {problem}\n")
    return settings


def one_shot(settings: Settings, surface: str, cwd: str | None = None) -> TokenJuice:
    """Returns an instance whose originals outlive this process."""
    from tokenjuice_ml.api import TokenJuice

    return TokenJuice(settings, surface=surface, disk=True, cwd=cwd)


def write_text(text: str) -> None:
    """Writes `text` to stdout as UTF-8, byte for byte, with a line end at the end."""
    data = text.encode("utf-8", "replace")
    out = sys.stdout.buffer
    out.write(data if data.endswith(b"\n") or not data else data + b"\n")
    out.flush()


def write_json(value: Any) -> None:
    """Writes one JSON value to stdout."""
    write_text(json.dumps(value, ensure_ascii=False))
