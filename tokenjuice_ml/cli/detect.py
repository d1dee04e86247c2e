"""``tj detect [FILE]``: the kind of a text and why."""

from __future__ import annotations

from tokenjuice_ml import command, detect
from tokenjuice_ml.api import tool_output
from tokenjuice_ml.cli import common
from tokenjuice_ml.cli.reduce import read


def run(argv: list[str]) -> int:
    """Prints kind, step of the precedence and evidence."""
    parser = common.parser("detect", "Says what kind a text is and why.")
    parser.add_argument("file", nargs="?", default="-", help="file to read; - or nothing: standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_hints(parser)
    args = parser.parse_args(argv)
    output = tool_output(read(args.file), common.hints_of(args))
    found = detect.detect(output, command.identify(output.command, output.argv))
    if args.json:
        common.write_json(
            {"kind": found.kind.value, "by": found.by, "evidence": found.evidence, "format": found.format}
        )
    else:
        detail = f" ({found.format})" if found.format else ""
        common.write_text(f"{found.kind.value}{detail}  by {found.by}: {found.evidence}")
    return 0
