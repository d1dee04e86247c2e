"""`python -m eval.stress_store`: writers, a reader and processes killed at random on one store.

Two processes write `--entries` originals each with raised caps, a third reads what they were told
is stored, others are started and killed with SIGKILL at random moments until the writers are done.
Afterwards every token that any process was told must give its original, byte for byte. A second
run with small caps shows that the caps hold. Prints one line a finding; exit code 1 when one fails.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tokenjuice_ml import Settings
from tokenjuice_ml.ccr.store import Store, open_store

HERE = Path(__file__).resolve().parent.parent
SMALL_ENTRIES, SMALL_BYTES = 500, 200_000


def original(name: str, number: int) -> bytes:
    """Returns the original `number` of a writer: made anew by whoever checks it."""
    dice = random.Random(f"{name} {number}")
    return f"{name} {number}\r\n".encode() + dice.randbytes(dice.choice((0, 10, 300, 3000)))


def store_at(folder: str, small: bool) -> Store:
    """Opens the store that all processes share."""
    caps = (
        {"disk_max_entries": SMALL_ENTRIES, "disk_max_bytes": SMALL_BYTES}
        if small
        else {"disk_max_entries": 10**6}
    )
    store = open_store(Settings(ccr_dir=folder, max_cache_entries=1, **caps), disk=True)
    assert store is not None
    return store


def write(folder: str, name: str, entries: int, small: bool) -> None:
    """Stores originals and tells each token, once it is stored, on stdout."""
    store = store_at(folder, small)
    for number in range(entries):
        data = original(name, number)
        sys.stdout.write(f"{store.put(data, lines=data.count(10) + 1)} {name} {number}\n")
        sys.stdout.flush()


def start(folder: str, name: str, entries: int, small: bool, out: Path) -> subprocess.Popen[bytes]:
    """Starts a writer whose tokens go to a file, so that they outlive it."""
    words = [
        sys.executable,
        "-m",
        "eval.stress_store",
        "--write",
        name,
        "--folder",
        folder,
        "--entries",
        str(entries),
    ]
    with open(out, "ab") as sink:
        return subprocess.Popen([*words, "--small"] if small else words, stdout=sink, cwd=HERE)


def told(out: Path) -> list[tuple[str, str, int]]:
    """Returns the whole lines that a writer wrote."""
    text = out.read_text("ascii") if out.exists() else ""
    rows = [row.split(" ") for row in text[: text.rfind("\n") + 1].splitlines()]
    return [(token, name, int(number)) for token, name, number in rows]


def run(folder: str, entries: int, small: bool, dice: random.Random) -> bool:
    """Runs one scene and checks it."""
    base = Path(folder)
    begun = time.monotonic()
    writers = {name: start(folder, name, entries, small, base / name) for name in ("one", "two")}
    store = store_at(folder, small)
    reads = corrupt = missed = kills = 0
    victim, doomed_at = start(folder, "victim0", 10**6, small, base / "victim0"), time.monotonic() + 1
    while any(writer.poll() is None for writer in writers.values()):
        known = told(base / dice.choice(list(writers)))
        for token, name, number in dice.sample(known, min(20, len(known))):
            data = store.get(token)
            reads += 1
            missed += data is None
            corrupt += data is not None and data != original(name, number)
        if time.monotonic() >= doomed_at:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            kills += 1
            victim = start(folder, f"victim{kills}", 10**6, small, base / f"victim{kills}")
            doomed_at = time.monotonic() + dice.uniform(0.2, 2)
    victim.kill()
    victim.wait()
    seconds = time.monotonic() - begun
    rows = [
        row for name in ("one", "two", *(f"victim{n}" for n in range(kills + 1))) for row in told(base / name)
    ]
    lost = wrong = 0
    for token, name, number in rows:
        data = store.get(token)
        lost += data is None
        wrong += data is not None and data != original(name, number)
    held = store.stats()["disk"]
    names = "small caps" if small else "raised caps"
    print(
        f"{names}: 2 writers x {entries:,}, {kills} processes killed with -9, {seconds:.0f} s; "
        f"{len(rows):,} tokens told, {lost:,} gone, {wrong + corrupt} corrupt, {reads:,} reads meanwhile ({missed} missed); "
        f"store: {held['entries']:,} entries, {held['bytes']:,} bytes"
    )
    for path in sorted(base.iterdir()):
        if path.name.startswith(("originals", "secret")):
            print(f"  {stat.filemode(path.stat().st_mode)} {path.name}")
    print(f"  {stat.filemode(base.stat().st_mode)} (the folder)")
    store.close()
    if small:
        return not (wrong + corrupt) and held["entries"] <= SMALL_ENTRIES and held["bytes"] <= SMALL_BYTES
    whole = all(len(told(base / name)) == entries for name in writers)
    return whole and not (lost + wrong + corrupt + missed)


def main() -> int:
    """Runs both scenes, or one writer of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--entries", type=int, default=10_000, help="originals of each writer (10000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--small", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.write:
        write(args.folder, args.write, args.entries, args.small)
        return 0
    dice = random.Random(args.seed)
    good = True
    for small, entries in ((False, args.entries), (True, max(1000, args.entries // 5))):
        with tempfile.TemporaryDirectory(prefix="tj-stress-") as folder:
            os.chmod(folder, 0o700)
            good = run(folder, entries, small, dice) and good
    print("all held" if good else "NOT HELD")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
