"""``tj reduce [FILE]``: cuts a file or standard input."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError

if TYPE_CHECKING:
    import argparse


def run(argv: list[str]) -> int:
    """Prints the text cut; with ``--json`` the whole answer."""
    gc.disable()  # one text, then the process ends: collecting costs a tenth of it
    args = common.plain(argv, ("json",)) or _parser().parse_args(argv)
    data = read(args.file)
    hints = common.hints_of(args)
    if args.file != "-" and "extension" not in hints and not hints.get("command"):
        hints["extension"] = os.path.splitext(args.file)[1].lstrip(".") or None
    juice = common.one_shot(common.load_settings(args.cwd), "reduce", args.cwd)
    result = juice.compress(data, options=common.options_of(args), **hints)
    if args.json:
        common.write_json(result.to_json())
    elif result.compressor == "none" and not result.masked:
        sys.stdout.buffer.write(data)  # byte for byte, invalid UTF-8 included
        sys.stdout.buffer.flush()
    else:
        common.write_text(result.text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = common.parser("reduce", "Cuts a file or standard input to what an agent needs.")
    parser.add_argument("file", nargs="?", default="-", help="file to read; - or nothing: standard input")
    parser.add_argument("--json", action="store_true", help="print the answer as one JSON object")
    common.add_hints(parser)
    return parser


def read(name: str) -> bytes:
    """Returns the bytes of a file, or of standard input for ``-``.

    Raises:
        RequestError: the file cannot be read.
    """
    try:
        if name == "-":
            return sys.stdin.buffer.read()
        with open(name, "rb") as file:
            return file.read()
    except OSError as error:
        raise RequestError(f"cannot read {name}: {error.strerror or error}") from None
