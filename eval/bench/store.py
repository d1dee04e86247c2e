"""What keeping an original costs: storing, the footer, and the way back."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from eval.bench.inputs import CASES
from tokenjuice_ml import Settings, marker, tokens
from tokenjuice_ml.ccr.retrieve import fetch, view
from tokenjuice_ml.ccr.store import Store, open_store
from tokenjuice_ml.redact import redact

ROUNDS = 41
LARGE = 50_000_000


def table_of_store() -> None:
    """Prints CPU and wall ms (medians) beside the budgets."""
    print("\nstore of originals                        CPU ms  wall ms  budget")
    with tempfile.TemporaryDirectory(prefix="tj-bench-") as folder:
        disk = open_store(Settings(ccr_dir=folder, max_cache_bytes=1), disk=True)
        memory = open_store(Settings(max_cache_bytes=1 << 30))
        assert disk is not None
        assert memory is not None
        texts = [case.make(100_000).encode() for case in CASES]
        _row("store 100 KB to SQLite", _puts(disk, texts), 3.0)
        _row("store 100 KB to memory", _puts(memory, texts), 0.3)
        _ranges(disk, Path(folder))
        disk.close()
    text = CASES[0].make(100_000)
    _row("redact_secrets on 100 KB (off by default)", lambda: redact(text), None)
    size = tokens.exact(marker.footer("839204719384756102938475610", 1_234_567))
    print(f"  footer: {size} o200k tokens (budget 40)")


def _puts(store: Store, texts: list[bytes]) -> Callable[[], object]:
    """Returns a call that stores a text that was never stored before."""
    dice = random.Random(3)
    fresh = [b"%d\n" % dice.getrandbits(60) + dice.choice(texts) for _ in range(ROUNDS + 1)]
    lines = [data.count(b"\n") for data in fresh]
    return lambda: store.put(fresh.pop(), lines=lines.pop())


def _ranges(store: Store, folder: Path) -> None:
    dice = random.Random(4)
    path = folder / "large"
    line = b"2026-01-01T12:00:00Z worker-%d handled request %d in %d ms\n"
    with open(path, "wb") as file:
        lines = 0
        while file.tell() < LARGE:
            file.writelines(line % (n % 9, lines + n, dice.randrange(9999)) for n in range(10_000))
            lines += 10_000
    size = os.path.getsize(path)
    token = store.put_file(path, lines=lines)
    _row(
        "100 lines of a 50 MB original",
        lambda: fetch(store, token, lines=(at := dice.randrange(1, lines), at + 99)),
        20.0,
    )
    _row(
        "4 KB of a 50 MB original",
        lambda: fetch(store, token, bytes_=(at := dice.randrange(size), at + 4096)),
        20.0,
    )
    _row("a page from the end of it", lambda: view(store, token, lines=(-400, -1)), 20.0)


def _row(name: str, work: Callable[[], object], budget_ms: float | None) -> None:
    work()
    cpu, wall = [], []
    for _ in range(ROUNDS):
        begun = time.process_time(), time.perf_counter()
        work()
        cpu.append((time.process_time() - begun[0]) * 1000)
        wall.append((time.perf_counter() - begun[1]) * 1000)
    limit = "" if budget_ms is None else f"{budget_ms:8.1f}"
    print(f"  {name:42s} {median(cpu):6.2f} {median(wall):8.2f} {limit}")
