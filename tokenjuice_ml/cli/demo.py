"""``tj demo``: the main job on eight shipped outputs, and one way back."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.cli import common
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Compressed

FOLDER = Path(__file__).resolve().parent.parent / "_demo"
# What the model reads in prose; the rest of the demo needs no model.
PROSE = {
    "ml_compression_enabled": True,
    "ml_cold_start": "wait",
    "ml_timeout_ms": 30_000,
    "ml_target_ratio": 0.5,
}
WIDTH = 100


def run(argv: list[str]) -> int:
    """Prints the table; 1 when a fact that must survive did not."""
    parser = common.parser("demo", "Shows what it does on shipped outputs. Nothing leaves this machine.")
    parser.add_argument("--show", metavar="NAME", help="print one of the outputs cut, e.g. tests.txt")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args(argv)
    cases = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="tokenjuice-demo-") as folder:
        # A store of its own: a demo leaves nothing in the user's folders.
        settings = Settings(ccr_dir=os.path.join(folder, "ccr"), savings_enabled=False)
        store = open_store(settings, disk=True)
        juice = TokenJuice(settings, store=store)
        done = [(case, cut(juice, case)) for case in cases if args.show in (None, case["file"])]
        if args.show:
            common.write_text(done[0][1].text if done else f"no demo output '{args.show}'")
            return 0 if done else 2
        lost = [(case["file"], fact) for case, result in done for fact in missing(case, result)]
        if args.json:
            common.write_json([_row(case, result) for case, result in done])
        else:
            common.write_text(_report(juice, done, lost))
        if store is not None:
            store.close()
    # What a model leaves of prose is its judgement; everything else is a promise.
    promised = {case["file"] for case in cases if not case.get("prose")}
    return 1 if any(name in promised for name, _ in lost) else 0


def cut(juice: TokenJuice, case: dict[str, Any]) -> Compressed:
    """Returns what comes of one shipped output."""
    data = (FOLDER / case["file"]).read_bytes()
    return juice.compress(data, options=PROSE if case.get("prose") else {}, **case["hints"])


def missing(case: dict[str, Any], result: Compressed) -> list[str]:
    """Returns the facts of the case that are not in the answer."""
    flat = " ".join(result.text.split())
    return [fact for fact in case["facts"] if fact not in flat]


def _row(case: dict[str, Any], result: Compressed) -> dict[str, Any]:
    return {
        "what": case["title"],
        "kind": result.kind.value,
        "by": result.rule or result.compressor,
        "tokens_before": result.tokens_before,
        "tokens_after": result.tokens_after,
        "facts": len(case["facts"]),
        "facts_kept": len(case["facts"]) - len(missing(case, result)),
        "reason": result.reason.value,
        "detail": result.detail,
        "ms": round(result.ms, 1),
    }


def _report(
    juice: TokenJuice, done: list[tuple[dict[str, Any], Compressed]], lost: list[tuple[str, str]]
) -> str:
    lines = [
        f"{'tool output':26s} {'cut by':22s} {'tokens':>8s} {'shown':>7s} {'saved':>6s}  {'must-see facts':15s} {'ms':>6s}",
        "─" * WIDTH,
    ]
    for case, result in done:
        row = _row(case, result)
        saved = 100 * (1 - row["tokens_after"] / row["tokens_before"])
        facts = f"{row['facts_kept']} of {row['facts']} kept"
        lines.append(
            f"{row['what']:26s} {row['by'][:22]:22s} {row['tokens_before']:8,d} {row['tokens_after']:7,d} "
            f"{saved:5.1f}%  {facts:15s} {row['ms']:6.1f}"
        )
    before = sum(result.tokens_before for _, result in done)
    after = sum(result.tokens_after for _, result in done)
    lines += ["─" * WIDTH, f"{'all':49s} {before:8,d} {after:7,d} {100 * (1 - after / before):5.1f}%", ""]
    lines += [f"LOST: {fact!r} of {name}" for name, fact in lost]
    lines += _untouched(done)
    lines += _glimpse(done) + _way_back(juice, done)
    lines += [
        "",
        "More: `tj demo --show tests.txt`, `tj wrap -- CMD`, `tj --help`. Tokens are estimates (o200k).",
    ]
    return "\n".join(lines)


def _untouched(done: list[tuple[dict[str, Any], Compressed]]) -> list[str]:
    rows = []
    for case, result in done:
        if result.compressor == "none":
            rows.append(f"{case['title']}: untouched ({result.reason.sentence})")
        elif case.get("prose"):
            rows.append(f"{case['title']}: {result.reason.sentence} {result.detail}".rstrip())
    return rows


def _glimpse(done: list[tuple[dict[str, Any], Compressed]]) -> list[str]:
    """The largest cut, as the agent sees it."""
    case, result = max(done, key=lambda pair: pair[1].tokens_before - pair[1].tokens_after)
    shown = result.text.split("\n")
    head = [f"  │ {line[: WIDTH - 4]}" for line in shown[:24]]
    more = [f"  │ … {len(shown) - 24} more lines"] if len(shown) > 24 else []
    return [
        "",
        f"What the agent sees of {case['title']} ({case['hints'].get('command') or case['file']}):",
        *head,
        *more,
    ]


def _way_back(juice: TokenJuice, done: list[tuple[dict[str, Any], Compressed]]) -> list[str]:
    case, result = next((pair for pair in done if pair[1].token), (None, None))
    if case is None or result is None or result.token is None:
        return []
    original = (FOLDER / case["file"]).read_bytes()
    whole = juice.retrieve(result.token)
    part = juice.retrieve(result.token, lines=(-1, -1)) or b""
    verdict = "byte for byte the original" if whole == original else "NOT the original"
    return [
        "",
        f"The way back: tj retrieve {result.token}",
        f"  gives {len(whole or b''):,} bytes, {verdict}; --lines -1 gives {part.decode().strip()[:60]!r}",
    ]
