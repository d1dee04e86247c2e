"""`python -m eval run|check|systems|data`: compare systems offline. See eval/README.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from eval import datasets, report, summary
from eval.check import check
from eval.run import run
from eval.systems import available


def main(argv: list[str] | None = None) -> int:
    """Runs one of the verbs."""
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    verbs = parser.add_subparsers(dest="what", required=True)
    go = verbs.add_parser("run", help="run systems over a data set and write table, JSON and page")
    go.add_argument("--data", required=True, help=f"{', '.join(datasets.ADAPTERS)}, or a JSONL file")
    go.add_argument("--systems", required=True, help="names with commas, or all")
    go.add_argument("--ratio", default="0.5,0.3", help="ratios with commas")
    go.add_argument("--out", type=Path, required=True, help="folder for answers, figures and page")
    go.add_argument("--limit", type=int, default=0, help="only the first N cases")
    gate = verbs.add_parser("check", help="the own set against stored figures")
    gate.add_argument("--update", action="store_true", help="store the figures")
    verbs.add_parser("systems", help="what can run here")
    verbs.add_parser("data", help="which data sets there are")
    args = parser.parse_args(argv)
    if args.what == "systems":
        for system in available().values():
            print(f"{system.name:24s} {system.version}{'' if system.takes_ratio else '  (takes no ratio)'}")
        return 0
    if args.what == "data":
        print("\n".join(datasets.ADAPTERS))
        return 0
    if args.what == "check":
        with tempfile.TemporaryDirectory() as folder:
            return check(Path(folder), args.update)
    return _run(args)


def _run(args: argparse.Namespace) -> int:
    known = available()
    names = list(known) if args.systems == "all" else args.systems.split(",")
    unknown = [name for name in names if name not in known]
    if unknown:
        print(
            f"eval: not here: {', '.join(unknown)}; `python -m eval systems` lists what can run",
            file=sys.stderr,
        )
        return 2
    try:
        cases = datasets.load(args.data, args.limit)
    except FileNotFoundError as error:
        print(f"eval: {error}", file=sys.stderr)
        return 2
    ratios = [float(part) for part in args.ratio.split(",")]
    try:
        result = run(Path(args.data).stem, cases, [known[name] for name in names], ratios, args.out)
    except KeyboardInterrupt:
        return 130
    found = summary.points(result)
    table = summary.table(result, found)
    print(table)
    (args.out / "table.txt").write_text(table + "\n", encoding="utf-8")
    figures = {**{key: value for key, value in result.items() if key != "rows"}, "points": found}
    (args.out / "figures.json").write_text(
        json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    report.write(result, found, {case.id: case.text for case in cases}, args.out / "report.html")
    print(f"page: {args.out / 'report.html'}")
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
