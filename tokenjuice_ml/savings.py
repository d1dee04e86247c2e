"""The savings ledger: one row a cut, in SQLite, in tokens and money.

Only the family of a command is written (its program and verb), never arguments or output. A
retrieval is debited: what came back to the model was not saved. Growth counts negative.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any

from tokenjuice_ml import log
from tokenjuice_ml.errors import StoreError

if TYPE_CHECKING:
    import sqlite3

    from tokenjuice_ml.settings import Settings
    from tokenjuice_ml.types import Compressed, ToolOutput

FILE = "savings.sqlite3"
PRICES = Path(__file__).resolve().parent / "prices.json"
BUSY_S = 2.0
DAY_S = 86_400
GROUPS = ("model", "compressor", "rule", "family", "kind", "surface", "day")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS events(
  time REAL NOT NULL, model TEXT, kind TEXT, compressor TEXT, rule TEXT, family TEXT, surface TEXT,
  before INTEGER NOT NULL, after INTEGER NOT NULL, exact INTEGER NOT NULL, price REAL,
  token TEXT, retrieved INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS by_time ON events(time);
CREATE INDEX IF NOT EXISTS by_token ON events(token) WHERE token IS NOT NULL;
"""
_lock = Lock()
_connections: dict[tuple[str, int], sqlite3.Connection] = {}


def ledger_path() -> Path:
    """Returns the ledger's file in the user's state folder."""
    from tokenjuice_ml.ccr.store import state_folder

    return state_folder() / FILE


def record(result: Compressed, output: ToolOutput, settings: Settings, surface: str) -> None:
    """Writes one event. Never fails a call: a ledger that cannot be written is only told in the log.

    Args:
        result: what came out.
        output: what went in; model and command family are taken from it.
        settings: ``savings_enabled`` counts.
        surface: library, reduce, wrap, batch, rpc, mcp, ...
    """
    if not settings.savings_enabled:
        return
    row = (
        time(),
        output.model,
        result.kind.value,
        result.compressor,
        result.rule,
        family(output),
        surface,
        result.tokens_before,
        result.tokens_after,
        int(result.tokens_exact),
        price_of(output.model),
        result.token,
    )
    with _tolerant("record"), _ledger() as db:
        db.execute("INSERT INTO events VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)", row)


def debit(token: str, tokens: int) -> None:
    """Notes that `tokens` tokens of the original under `token` went to the model after all."""
    query = (
        "UPDATE events SET retrieved = retrieved + ? WHERE rowid = "
        "(SELECT rowid FROM events WHERE token = ? ORDER BY time DESC LIMIT 1)"
    )
    with _tolerant("debit"), _ledger() as db:
        db.execute(query, (tokens, token))


def debit_part(token: str, part: str | bytes) -> None:
    """`debit` for a retrieved part of an original; the token as it was given, with or without its marker."""
    from tokenjuice_ml.ccr.token import parse
    from tokenjuice_ml.tokens import estimate

    bare = parse(token)
    if bare is not None:
        debit(bare, estimate(part if isinstance(part, str) else part.decode("utf-8", "replace")))


def family(output: ToolOutput) -> str | None:
    """Returns program and verb of the command, e.g. ``git status``; never its arguments."""
    if not output.command and not output.argv:
        return output.tool
    from tokenjuice_ml.command import identify

    command = identify(output.command, output.argv)
    if command is None or not command.program:
        return "compound" if command is not None and command.compound else None
    verb = command.verb if command.verb.replace("-", "").isalpha() and len(command.verb) <= 24 else ""
    return f"{command.program} {verb}".strip()


@lru_cache(maxsize=1)
def prices() -> dict[str, Any]:
    """Returns the dated table: ``{"as_of", "source", "usd_per_mtok": {model: input price}}``."""
    with suppress(OSError, ValueError):
        return dict(json.loads(PRICES.read_text(encoding="utf-8")))
    return {"as_of": None, "usd_per_mtok": {}}


def price_of(model: str | None) -> float | None:
    """Returns the input price of `model` in USD per million tokens; None when it is not known.

    A provider prefix and a date suffix do not matter: ``anthropic/claude-x-20250929`` is ``claude-x``.
    """
    if not model:
        return None
    table = prices()["usd_per_mtok"]
    name = model.lower().rsplit("/", 1)[-1]
    for candidate in (name, name.split(":")[0], name.split("@")[0]):
        if candidate in table:
            return float(table[candidate])
    stem, _, last = name.rpartition("-")
    dated = len(last) == 8 and last.isdigit()
    return float(table[stem]) if dated and stem in table else None


def totals(since: float = 0.0, host_limit: int = 0) -> dict[str, Any]:
    """Returns events, tokens and money since a time.

    Args:
        since: seconds since the epoch; 0 means ever.
        host_limit: tokens at which the host would have cut the output anyway; what is over it was
            not ours to save. 0 means no limit.

    Raises:
        StoreError: the ledger cannot be read; nothing saved would look the same.
    """
    rows = _grouped("'all'", since, host_limit)
    return rows[0][1] if rows else _empty()


def by(group: str, since: float = 0.0, host_limit: int = 0) -> dict[str, dict[str, Any]]:
    """Returns the totals of each model, compressor, rule, family, kind, surface or day.

    Raises:
        ValueError: no such group.
        StoreError: the ledger cannot be read.
    """
    if group not in GROUPS:
        raise ValueError(f"group must be one of {', '.join(GROUPS)}")
    column = "date(time, 'unixepoch', 'localtime')" if group == "day" else f"COALESCE({group}, '-')"
    return dict(_grouped(column, since, host_limit))


def recent(count: int = 50) -> list[dict[str, Any]]:
    """Returns the last events, newest first, without any content.

    Raises:
        StoreError: the ledger cannot be read.
    """
    names = "time, model, kind, compressor, rule, family, surface, before, after, retrieved"
    with _asked(), _ledger() as db:
        found = db.execute(f"SELECT {names} FROM events ORDER BY time DESC LIMIT ?", (count,)).fetchall()
        return [dict(zip(names.split(", "), row, strict=True)) for row in found]


def reset() -> int:
    """Empties the ledger; returns how many events went.

    Raises:
        StoreError: it cannot be opened or written.
    """
    with _asked(), _ledger() as db:
        return int(db.execute("DELETE FROM events").rowcount)


def _grouped(column: str, since: float, host_limit: int) -> list[tuple[str, dict[str, Any]]]:
    base = f"MIN(before, {int(host_limit)})" if host_limit > 0 else "before"
    after = f"MIN(after, {int(host_limit)})" if host_limit > 0 else "after"
    saved = f"({base} - {after} - retrieved)"
    query = (
        f"SELECT {column}, COUNT(*), SUM({base}), SUM({after}), SUM(retrieved), SUM({saved}), "
        f"SUM(CASE WHEN price IS NOT NULL THEN {saved} * price / 1e6 END), "
        f"SUM(price IS NULL) FROM events WHERE time >= ? GROUP BY 1 ORDER BY 6 DESC"
    )
    with _asked(), _ledger() as db:
        return [(str(row[0]), _totals(row[1:])) for row in db.execute(query, (since,)).fetchall()]


def _totals(row: tuple[Any, ...]) -> dict[str, Any]:
    events, before, after, retrieved, saved, money, unpriced = row
    return {
        "events": events,
        "tokens_before": before,
        "tokens_after": after,
        "tokens_retrieved": retrieved,
        "tokens_saved": saved,
        "usd_saved": None if money is None else round(money, 6),
        "events_without_price": unpriced,
    }


def _empty() -> dict[str, Any]:
    return _totals((0, 0, 0, 0, 0, None, 0))


@contextmanager
def _tolerant(what: str) -> Iterator[None]:
    """Books never break a call: a ledger that is full, locked or damaged is told and passed over."""
    import sqlite3

    try:
        yield
    except (sqlite3.Error, OSError) as error:
        log.failure(f"savings {what}", error)
        _give_up(ledger_path(), str(error))


@contextmanager
def _asked() -> Iterator[None]:
    """Whoever asks for the books is told when there are none to be had."""
    import sqlite3

    try:
        yield
    except (sqlite3.Error, OSError) as error:
        path = ledger_path()
        _give_up(path, str(error))
        what = error.strerror if isinstance(error, OSError) else None
        if path.parent.exists() and not path.parent.is_dir():
            what = f"{path.parent} is not a folder"
        raise StoreError(f"the savings ledger cannot be read: {path}: {what or error}") from error


def _give_up(path: Path, words: str) -> None:
    """Lets go of the ledger, and puts a damaged one aside so that the next event starts a new one."""
    with _lock, suppress(Exception):
        db = _connections.pop((str(path), os.getpid()), None)
        if db is not None:
            db.close()
        if "not a database" in words or "malformed" in words:
            os.replace(path, path.with_name(f"{FILE}.damaged-{int(time())}"))
            for tail in ("-wal", "-shm"):
                path.with_name(f"{FILE}{tail}").unlink(missing_ok=True)


@contextmanager
def _ledger() -> Iterator[sqlite3.Connection]:
    with _lock:
        yield _open(ledger_path())


def _open(path: Path) -> sqlite3.Connection:
    import sqlite3

    key = (str(path), os.getpid())
    if key in _connections and path.exists():
        return _connections[key]
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")  # losing the last events in a power cut is fine, waiting is not
    db.executescript(_SCHEMA)
    _connections[key] = db
    return db
