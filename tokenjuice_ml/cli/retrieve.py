"""``tj retrieve TOKEN``: the original, or a part of it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from tokenjuice_ml.ccr import retrieve as back
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.ccr.token import parse
from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError

if TYPE_CHECKING:
    from tokenjuice_ml.settings import Settings

END = 1 << 62


def run(argv: list[str]) -> int:
    """Prints the asked part; 3 when nothing is kept under the token, 2 when it is no token at all."""
    parser = common.parser("retrieve", "Prints an original, byte for byte, or a part of it.")
    parser.add_argument("token", help="the token, with or without its marker")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--lines", metavar="A-B", help="lines A to B, 1-based; -20 means the last 20")
    part.add_argument("--bytes", metavar="A-B", help="bytes A to B, 0-based, B excluded")
    part.add_argument("--around", type=int, metavar="LINE", help="a line with its surroundings")
    part.add_argument("--grep", metavar="TEXT", help="lines that hold TEXT or match it, case ignored")
    parser.add_argument(
        "--context", type=int, default=None, metavar="N", help="lines around (20; with --grep 2)"
    )
    parser.add_argument("--numbers", action="store_true", help="put original line numbers in front")
    parser.add_argument("--page", action="store_true", help="at most 400 lines and 32 KB, and how to go on")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(_keep_negative(argv))
    settings = common.load_settings()
    store = open_store(settings, disk=True)
    if store is None:
        raise RequestError("the store of originals cannot be opened; `tj doctor` says why")
    lines = parse_range(args.lines, "--lines") if args.lines else None
    span = half_open(parse_range(args.bytes, "--bytes")) if args.bytes else None
    if args.around is None and args.grep is None and not (args.numbers or args.json or args.page):
        data = back.fetch(store, args.token, lines=lines, bytes_=span)
        if data is None:
            return _missing(args.token, back.missing(store, args.token), args.json)
        _debit(settings, args.token, data)
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    found = back.view(
        store,
        args.token,
        lines=lines,
        bytes_=span,
        around=args.around,
        context=args.context,
        grep=args.grep,
        numbers=args.numbers,
        page=back.PAGE_LINES if args.page else 0,
    )
    if found.text is None:
        return _missing(args.token, found.error, args.json)
    _debit(settings, args.token, found.text)
    common.write_json(asdict(found)) if args.json else common.write_text(found.text)
    return 0


def _debit(settings: Settings, token: str, part: str | bytes) -> None:
    """An agent that fetches by the shell pays for it as one that uses the tool."""
    if settings.savings_enabled:
        from tokenjuice_ml import savings

        savings.debit_part(token, part)


def parse_range(text: str, flag: str) -> tuple[int, int]:
    """Returns the numbers of ``A-B``; ``A`` alone is one place, ``-N`` the last N.

    >>> parse_range("118-331", "--lines"), parse_range("-20", "--lines"), parse_range("7", "--lines")
    ((118, 331), (-20, -1), (7, 7))
    >>> parse_range("L5-", "--lines"), parse_range("-20--5", "--lines")
    ((5, -1), (-20, -5))

    Raises:
        RequestError: no numbers, or the end stands before the start.
    """
    words = text.replace("L", "").replace("l", "").replace(":", "-").strip()
    negative = words.startswith("-")
    start, dash, end = words[negative:].partition("-")
    try:
        first = -int(start) if negative else int(start)
        if not dash:
            return first, (-1 if negative else first)
        last = int(end) if end else -1
    except ValueError:
        raise RequestError(f"{flag} wants A-B with numbers, not '{text}'") from None
    if last < first and (first < 0) == (last < 0):
        raise RequestError(f"{flag} {text} ends before it starts; did you mean {last}-{first}?")
    return first, last


def half_open(span: tuple[int, int]) -> tuple[int, int]:
    """Returns a range of bytes as `fetch` takes it: -1 is behind the last, one place is one byte.

    >>> half_open((-20, -1)) == (-20, END), half_open((7, 7)), half_open((0, 100))
    (True, (7, 8), (0, 100))
    """
    start, end = span
    return start, END if end == -1 else end + 1 if end == start else end


def _keep_negative(argv: list[str]) -> list[str]:
    """Joins ``--lines -20`` so that argparse does not take the value for a flag."""
    joined: list[str] = []
    words = iter(argv)
    for word in words:
        if word in ("--lines", "--bytes", "--around"):
            value = next(words, None)
            joined.append(word if value is None else f"{word}={value}")
        else:
            joined.append(word)
    return joined


def _missing(token: str, error: str, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(json.dumps({"text": None, "error": error}, ensure_ascii=False) + "\n")
    sys.stderr.write(f"tj retrieve: {error}\n")
    return 2 if parse(token) is None else 3
