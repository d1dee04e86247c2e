"""``tj cache stats|gc|clear``: the store of originals."""

from __future__ import annotations

from tokenjuice_ml.ccr.store import open_store
from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import RequestError


def run(argv: list[str]) -> int:
    """Prints what the store holds, or cleans it."""
    parser = common.parser("cache", "The store of originals.")
    parser.add_argument("what", choices=("stats", "gc", "clear"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    store = open_store(common.load_settings(), disk=True)
    if store is None:
        raise RequestError("the store of originals is off or cannot be opened; `tj doctor` says why")
    if args.what != "stats":
        gone = store.gc() if args.what == "gc" else store.clear()
        common.write_json({"removed": gone}) if args.json else common.write_text(f"removed {gone} originals")
        return 0
    stats = {name: held for name, held in store.stats().items() if name != "memory"}
    if args.json:
        common.write_json(stats)
        return 0
    for name, held in stats.items():
        place = f"  {held['path']}" if "path" in held else ""
        common.write_text(
            f"{name}: {held['entries']:,} originals of at most {held['max_entries']:,}, "
            f"{held['bytes'] / 1e6:,.1f} MB of at most {held['max_bytes'] / 1e6:,.0f} MB{place}"
        )
    return 0
