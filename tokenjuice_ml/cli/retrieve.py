"""``tj retrieve TOKEN``: the original, or a part of it."""

from __future__ import annotations

import json
import sys

from tokenjuice_ml.ccr import retrieve as back
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.ccr.token import parse
from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError


def run(argv: list[str]) -> int:
    """Prints the asked part; 3 when there is none under the token."""
    parser = common.parser("retrieve", "Prints an original, byte for byte, or a part of it.")
    parser.add_argument("token", help="the token, with or without its marker")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--lines", metavar="A-B", help="lines A to B, 1-based; -20 means the last 20")
    part.add_argument("--bytes", metavar="A-B", help="bytes A to B, 0-based, B excluded")
    part.add_argument("--around", type=int, metavar="LINE", help="a line with its surroundings")
    part.add_argument("--grep", metavar="TEXT", help="lines that hold TEXT, case ignored")
    parser.add_argument(
        "--context", type=int, default=None, metavar="N", help="lines around (20; with --grep 2)"
    )
    parser.add_argument("--numbers", action="store_true", help="put original line numbers in front")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(_keep_negative(argv))
    store = open_store(common.load_settings(), disk=True)
    if store is None:
        raise RequestError("the store of originals cannot be opened; `tj doctor` says why")
    if parse(args.token) is None:
        return _missing(back.MALFORMED, args.json)
    if args.around is None and args.grep is None and not args.numbers and not args.json:
        lines = parse_range(args.lines, "--lines") if args.lines else None
        span = parse_range(args.bytes, "--bytes") if args.bytes else None
        data = back.fetch(store, args.token, lines=lines, bytes_=span)
        if data is None:
            return _missing(back.MISSING, args.json)
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    context = args.context if args.context is not None else (2 if args.grep is not None else 20)
    found = back.view(
        store,
        args.token,
        lines=parse_range(args.lines, "--lines") if args.lines else None,
        around=args.around,
        context=context,
        grep=args.grep,
        numbers=args.numbers,
        page=0,
    )
    if found.text is None:
        return _missing(found.error, args.json)
    if args.json:
        common.write_json(
            {
                "text": found.text,
                "first_line": found.first_line,
                "last_line": found.last_line,
                "total_lines": found.total_lines,
            }
        )
    else:
        common.write_text(found.text)
    return 0


def parse_range(text: str, flag: str) -> tuple[int, int]:
    """Returns the numbers of ``A-B``; ``A`` alone is one place, ``-N`` the last N.

    >>> parse_range("118-331", "--lines"), parse_range("-20", "--lines"), parse_range("7", "--lines")
    ((118, 331), (-20, -1), (7, 7))
    """
    words = text.replace("L", "").replace("l", "").replace(":", "-").strip()
    try:
        if words.startswith("-"):
            return int(words), -1
        first, sign, last = words.partition("-")
        return int(first), int(last) if last else (-1 if sign else int(first))
    except ValueError:
        raise RequestError(f"{flag} wants A-B with numbers, not '{text}'") from None


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


def _missing(error: str, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(json.dumps({"text": None, "error": error}, ensure_ascii=False) + "\n")
    sys.stderr.write(f"tj retrieve: {error}\n")
    return 3
