"""``tj batch IN.jsonl OUT.jsonl``: many texts, one JSON object a line, order kept."""

from __future__ import annotations

import base64
import binascii
import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError, TokenJuiceError

if TYPE_CHECKING:
    from tokenjuice_ml.api import TokenJuice

SOURCES = ("text", "path", "base64")


def run(argv: list[str]) -> int:
    """Answers every line; returns 1 when a line could not be answered."""
    parser = common.parser("batch", "Cuts many texts. The schemas of both lines are in docs/.")
    parser.add_argument("input", help="JSON lines; - for standard input")
    parser.add_argument("output", nargs="?", default="-", help="JSON lines; - or nothing: standard output")
    common.add_settings(parser)
    args = parser.parse_args(argv)
    settings = common.load_settings().merged(common.options_of(args))
    juice = common.one_shot(settings, "batch")
    total = _count_lines(args.input)
    folder = Path(args.input).resolve().parent if args.input != "-" else Path.cwd()
    failed = 0
    with _open_input(args.input) as lines, _open_output(args.output) as out:
        for number, line in enumerate(_progress(lines, total), 1):
            if not line.strip():
                continue
            answer = answer_line(juice, line, number, folder)
            failed += "error" in answer
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
        out.flush()
    if failed:
        sys.stderr.write(f'tj batch: {failed} line(s) could not be answered; see their "error"\n')
    return 1 if failed else 0


def answer_line(juice: TokenJuice, line: str, number: int, folder: Path) -> dict[str, Any]:
    """Returns the answer to one request line, or ``{"id", "error"}``."""
    key: Any = number
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise RequestError("a request must be a JSON object")
        key = request.pop("id", number)
        result = juice.compress(_content(request, folder), **request)
    except TokenJuiceError as error:
        return {"id": key, "error": str(error)}
    except ValueError as error:
        return {"id": key, "error": f"not JSON: {error}"}
    return {"id": key, **result.to_json()}


def _content(request: dict[str, Any], folder: Path) -> str | bytes:
    """Takes the one source of the text out of a request."""
    given = [name for name in SOURCES if request.get(name) is not None]
    if len(given) != 1:
        raise RequestError(f"give exactly one of {', '.join(SOURCES)}")
    value = request.pop(given[0])
    for name in SOURCES:
        request.pop(name, None)
    if not isinstance(value, str):
        raise RequestError(f"{given[0]} must be a string")
    if given[0] == "text":
        return value
    if given[0] == "base64":
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise RequestError(f"base64: {error}") from None
    try:
        return (folder / value).read_bytes()
    except (OSError, ValueError) as error:
        raise RequestError(f"path {value}: {getattr(error, 'strerror', None) or error}") from None


def _open_input(name: str) -> AbstractContextManager[TextIO]:
    if name == "-":
        return nullcontext(sys.stdin)
    try:
        return open(name, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise RequestError(f"cannot read {name}: {error.strerror}") from None


def _open_output(name: str) -> AbstractContextManager[TextIO]:
    if name == "-":
        return nullcontext(sys.stdout)
    try:
        return open(name, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise RequestError(f"cannot write {name}: {error.strerror}") from None


def _count_lines(name: str) -> int:
    if name == "-" or not sys.stderr.isatty():
        return 0
    with open(name, "rb") as file:
        return sum(1 for _ in file)


def _progress(lines: TextIO, total: int) -> Iterator[str]:
    """Passes the lines through, with a bar on stderr when it is a terminal."""
    for done, line in enumerate(lines, 1):
        yield line
        if total:
            filled = 30 * done // total
            sys.stderr.write(f"\r[{'#' * filled}{'.' * (30 - filled)}] {done}/{total}")
            sys.stderr.flush()
    if total:
        sys.stderr.write("\n")
