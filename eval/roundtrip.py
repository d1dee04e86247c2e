"""`python -m eval.roundtrip`: 2,000 made inputs and every fixture through each backend and back.

What `retrieve` gives must be the original byte for byte, and random ranges its slices.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tokenjuice_ml import Settings
from tokenjuice_ml.ccr.retrieve import fetch
from tokenjuice_ml.ccr.store import Store, open_store

ROOT = Path(__file__).resolve().parent.parent
LINE = st.one_of(
    st.binary(max_size=60), st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
INPUT = st.one_of(
    st.binary(max_size=4000),
    st.lists(LINE, max_size=60).flatmap(
        lambda rows: st.sampled_from((b"\n", b"\r\n", b"\r", b"\n\n")).map(lambda end: end.join(rows))
    ),
    st.text(max_size=2000).flatmap(lambda text: st.sampled_from(("utf-8", "utf-16", "utf-32")).map(
        lambda encoding: text.encode(encoding, "surrogatepass"))),
)  # fmt: skip


def check(store: Store, data: bytes, dice: random.Random) -> None:
    """Stores `data`, forgets it in memory where another tier has it, and compares."""
    lines = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    token = store.put(data, lines=lines)
    if len(store.tiers) > 1:
        store.tiers[0].clear()
    assert fetch(store, token) == data
    rows = _rows(data)
    first, last = sorted((dice.randint(1, lines + 2), dice.randint(1, lines + 2)))
    assert fetch(store, token, lines=(first, last)) == b"".join(rows[first - 1 : last])
    start, end = sorted((dice.randint(0, len(data) + 2), dice.randint(0, len(data) + 2)))
    assert fetch(store, token, bytes_=(start, end)) == data[start:end]
    assert fetch(store, token, bytes_=(-start or 0, 1 << 62)) == (data[-start:] if start else data)


def _rows(data: bytes) -> list[bytes]:
    rows = data.split(b"\n")
    return [row + b"\n" for row in rows[:-1]] + ([rows[-1]] if rows[-1] else [])


@contextmanager
def backends(folder: str) -> Iterator[dict[str, Store]]:
    """Opens every backend that this machine has."""
    caps = {"disk_max_entries": 10**6, "max_cache_bytes": 1 << 30}
    made = {
        "memory": open_store(Settings(**caps)),
        "disk": open_store(Settings(ccr_dir=f"{folder}/disk", **caps), disk=True),
    }
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    server = None
    if binary is None:
        print("redis: not run (needs the package redis-server)")
    else:
        path = f"{folder}/redis.sock"
        words = [binary, "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
        server = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while not Path(path).exists():
            time.sleep(0.05)
        made["redis"] = open_store(
            Settings(ccr_dir=f"{folder}/fleet", ccr_redis_url=f"unix://{path}", **caps)
        )
    try:
        yield {name: store for name, store in made.items() if store is not None}
    finally:
        for store in made.values():
            if store is not None:
                store.close()
        if server is not None:
            server.kill()
            server.wait()


def _many(store: Store, count: int, dice: random.Random, seen: list[int]) -> None:
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(INPUT)
    def made(data: bytes) -> None:
        seen.append(len(data))
        check(store, data, dice)

    made()


def main() -> int:
    """Runs all backends; exit code 1 when an original does not come back."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=2000)
    args = parser.parse_args()
    fixtures = [path for path in sorted((ROOT / "tests" / "fixtures").rglob("*")) if path.is_file()]
    dice = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="tj-round-") as folder, backends(folder) as stores:
        for name, store in stores.items():
            seen: list[int] = []
            begun = time.monotonic()
            _many(store, args.inputs, dice, seen)
            for path in fixtures:
                check(store, path.read_bytes(), dice)
            print(
                f"{name}: {len(seen):,} made inputs ({sum(seen):,} bytes) and {len(fixtures):,} fixtures came back "
                f"byte for byte, ranges too; {time.monotonic() - begun:.0f} s"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
