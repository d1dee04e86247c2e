"""`python -m eval run|table|check|downstream|systems|data`: compare systems offline. See eval/README.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from eval import datasets, report, summary, tables
from eval.check import check
from eval.corpus import is_corpus, run_corpus
from eval.run import Engine, first_costs, run
from eval.systems import System, available

RATIOS = "0.7,0.5,0.3,0.2"


def main(argv: list[str] | None = None) -> int:
    """Runs one of the verbs."""
    args = _parser().parse_args(argv)
    verbs = {"systems": _systems, "data": _data, "check": _check, "downstream": _downstream, "table": _table}
    try:
        return verbs.get(args.what, _run)(args)
    except FileNotFoundError as error:
        print(f"eval: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m eval", description=__doc__)
    verbs = parser.add_subparsers(dest="what", required=True)
    go = verbs.add_parser("run", help="run systems over a data set and write table, JSON and page")
    go.add_argument(
        "--data",
        required=True,
        help=f"{', '.join(datasets.ADAPTERS)}, a JSONL file; with ray also a folder of them",
    )
    go.add_argument("--systems", required=True, help="names with commas, or all")
    go.add_argument("--ratio", default=RATIOS, help="ratios with commas")
    go.add_argument(
        "--out", type=Path, default=Path("eval-out/run"), help="folder for answers, figures and page"
    )
    go.add_argument("--limit", type=int, default=0, help="only N cases, evenly spaced")
    go.add_argument("--engine", choices=("local", "ray"), default="local", help="who answers")
    go.add_argument("--no-cold", action="store_true", help="do not measure first answers in fresh processes")
    all_of = verbs.add_parser("table", help="the tables of the README: open prose, questions and logs")
    all_of.add_argument("--out", type=Path, default=Path("eval-out/table"))
    all_of.add_argument("--limit", type=int, default=0, help="only N cases of each data set")
    all_of.add_argument("--data", default="", help="only these of prose,qa,logs")
    gate = verbs.add_parser("check", help="the own set against stored figures")
    gate.add_argument("--update", action="store_true", help="store the figures")
    real = verbs.add_parser("downstream", help="log-likelihood of answers under a small causal LM")
    real.add_argument("--data", default="qa")
    real.add_argument("--systems", default="saliency,native,head,random-sentences")
    real.add_argument("--ratio", default="0.5,0.3")
    real.add_argument("--limit", type=int, default=0, help="only N questions, evenly spaced")
    real.add_argument("--out", type=Path, default=Path("eval-out/downstream"))
    verbs.add_parser("systems", help="what can run here")
    verbs.add_parser("data", help="which data sets there are")
    return parser


def _systems(args: argparse.Namespace) -> int:
    from eval.peer_systems import missing

    for system in available().values():
        print(f"{system.name:24s} {system.version}{'' if system.takes_ratio else '  (takes no ratio)'}")
    for name, why in missing().items():
        print(f"{name:24s} not here: {why}")
    return 0


def _data(args: argparse.Namespace) -> int:
    print("\n".join(datasets.ADAPTERS))
    return 0


def _check(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return check(Path(folder), args.update)


def _downstream(args: argparse.Namespace) -> int:
    from eval.downstream import main as downstream

    chosen = chosen_systems(args.systems)
    return 2 if chosen is None else downstream(args, chosen, ratios_of(args.ratio))


def _table(args: argparse.Namespace) -> int:
    from eval.readme import main as readme

    return readme(args.out, args.limit, args.data)


def chosen_systems(names: str) -> list[System] | None:
    """Returns the systems of a list with commas; None, with a line that says why, for an unknown one."""
    known = available()
    wanted = list(known) if names == "all" else names.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        why = f"eval: not here: {', '.join(unknown)}; `python -m eval systems` lists what can run"
        print(why, file=sys.stderr)
        return None
    return [known[name] for name in wanted]


def ratios_of(text: str) -> list[float]:
    """Returns the ratios of a list with commas."""
    return [float(part) for part in text.split(",")]


def _run(args: argparse.Namespace) -> int:
    chosen = chosen_systems(args.systems)
    if chosen is None:
        return 2
    if args.engine == "ray" and is_corpus(args.data):
        return _corpus(args, chosen)
    engine: Engine | None = None
    if args.engine == "ray":
        from eval import ray_engine

        engine = ray_engine.answers
    cases = datasets.load(args.data, args.limit)
    name = Path(args.data).stem
    result = run(name, cases, chosen, ratios_of(args.ratio), args.out, engine)
    if not args.no_cold:
        result["cold"] = first_costs(chosen, args.out)
    written(result, cases, args.out, everything=args.systems == "all")
    return 1 if result["failures"] else 0


def _corpus(args: argparse.Namespace, chosen: list[System]) -> int:
    result = run_corpus(args.data, chosen, ratios_of(args.ratio), args.out)
    written(result, [], args.out)
    return 1 if result["failures"] else 0


def written(
    result: dict[str, Any], cases: list[datasets.Case], out: Path, everything: bool = False
) -> list[summary.Point]:
    """Prints the table and writes table, figures and page; returns the points.

    Args:
        result: what `run` gave.
        cases: what was given to it.
        out: folder to write to.
        everything: also name the peers that were asked for but are not here.
    """
    if everything:
        from eval.peer_systems import missing

        result["missing"] = missing()
    found = summary.points(result)
    table = tables.table(result, found)
    print(table)
    (out / "table.txt").write_text(table + "\n", encoding="utf-8")
    figures = {key: value for key, value in result.items() if key != "rows"}
    figures["points"] = found
    figures["groups"] = summary.groups(result)
    figures["equal_kept"] = {share: summary.equal_kept(found, share) for share in summary.curves_of(found)}
    (out / "figures.json").write_text(
        json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    report.write(result, found, {case.id: case.text for case in cases}, out / "report.html")
    print(f"page: {out / 'report.html'}")
    return found


if __name__ == "__main__":
    sys.exit(main())
