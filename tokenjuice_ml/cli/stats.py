"""``tj stats``: what was saved, in tokens and money."""

from __future__ import annotations

import csv
import sys
from datetime import datetime, timedelta
from typing import Any

from tokenjuice_ml import savings
from tokenjuice_ml.cli import common

TABLES = ("compressor", "rule", "family", "model", "day")
COLUMNS = ("events", "tokens_before", "tokens_after", "tokens_retrieved", "tokens_saved", "usd_saved")
ROWS = 12


def run(argv: list[str]) -> int:
    """Prints totals and tables, or empties the ledger."""
    parser = common.parser("stats", "What was saved. Retrieved parts are debited; growth counts negative.")
    parser.add_argument("what", nargs="?", default="show", choices=("show", "reset"))
    parser.add_argument("--by", choices=savings.GROUPS, help="one table only")
    parser.add_argument("--days", type=float, help="only the last DAYS days")
    parser.add_argument(
        "--host-limit",
        type=int,
        default=0,
        metavar="TOKENS",
        help="count at most TOKENS of an output as saved",
    )
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--json", action="store_true", help="print one JSON object")
    style.add_argument("--csv", action="store_true", help="print CSV (of --by, default day)")
    args = parser.parse_args(argv)
    if args.what == "reset":
        common.write_text(f"removed {savings.reset()} events")
        return 0
    since = datetime.now().timestamp() - args.days * savings.DAY_S if args.days else 0.0
    if args.csv:
        return _csv(args.by or "day", since, args.host_limit)
    report = collect(since, args.host_limit, (args.by,) if args.by else TABLES)
    if args.json:
        common.write_json(report)
    else:
        common.write_text(_text(report))
    return 0


def collect(since: float, host_limit: int, groups: tuple[str, ...] = TABLES) -> dict[str, Any]:
    """Returns the totals of today, of seven days and since `since`, and a table a group."""
    midnight = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        "prices_as_of": savings.prices()["as_of"],
        "today": savings.totals(midnight.timestamp(), host_limit),
        "seven_days": savings.totals((midnight - timedelta(days=6)).timestamp(), host_limit),
        "total": savings.totals(since, host_limit),
        "by": {group: savings.by(group, since, host_limit) for group in groups},
    }


def _text(report: dict[str, Any]) -> str:
    lines = [
        f"{'':22s} {'events':>8s} {'before':>12s} {'after':>10s} {'fetched':>9s} {'saved':>12s} {'share':>6s}  USD"
    ]
    for name, label in (("today", "today"), ("seven_days", "7 days"), ("total", "total")):
        lines.append(_row(label, report[name]))
    for group, table in report["by"].items():
        lines.append(f"\nby {group}")
        lines.extend(_row(name, row) for name, row in list(table.items())[:ROWS])
        if len(table) > ROWS:
            lines.append(f"  … {len(table) - ROWS} more (--by {group} --json)")
    lines.append(f"\ninput prices as of {report['prices_as_of']}; models without a price count tokens only")
    return "\n".join(lines)


def _row(name: str, row: dict[str, Any]) -> str:
    share = 100 * row["tokens_saved"] / row["tokens_before"] if row["tokens_before"] else 0.0
    money = "-" if row["usd_saved"] is None else f"{row['usd_saved']:.4f}"
    return (
        f"  {name[:20]:20s} {row['events']:8,d} {row['tokens_before'] or 0:12,d} {row['tokens_after'] or 0:10,d} "
        f"{row['tokens_retrieved'] or 0:9,d} {row['tokens_saved'] or 0:12,d} {share:5.1f}%  {money}"
    )


def _csv(group: str, since: float, host_limit: int) -> int:
    out = csv.writer(sys.stdout)
    out.writerow((group, *COLUMNS))
    for name, row in savings.by(group, since, host_limit).items():
        out.writerow((name, *(row[column] for column in COLUMNS)))
    return 0
