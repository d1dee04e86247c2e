"""Originals on disk: one SQLite file, compressed in chunks, shared safely between processes."""

from __future__ import annotations

import os
import sqlite3
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from time import sleep, time
from typing import TYPE_CHECKING, Any, TypeVar

from tokenjuice_ml.ccr.slices import line_start
from tokenjuice_ml.ccr.store import private_folder
from tokenjuice_ml.ccr.token import check_owner, keep_secret, secret_of
from tokenjuice_ml.errors import StoreError

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.token import Minter
    from tokenjuice_ml.settings import Settings

T = TypeVar("T")

FILE = "originals.sqlite3"
# A range of a large original reads the chunks it touches; 128 KB inflate in under 1 ms.
CHUNK = 128 * 1024
BUSY_MS = 10_000
SETUP_TRIES = 100
# An eviction takes this share more than needed, so that it runs seldom.
SLACK = 0.02
VERSION = 3
_SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE IF NOT EXISTS originals(
  id INTEGER PRIMARY KEY, token TEXT UNIQUE NOT NULL, created REAL NOT NULL,
  bytes INTEGER NOT NULL, lines INTEGER NOT NULL, stored INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS chunks(
  original INTEGER NOT NULL, n INTEGER NOT NULL, first_line INTEGER NOT NULL, data BLOB NOT NULL, mac BLOB NOT NULL,
  PRIMARY KEY(original, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS totals(one INTEGER PRIMARY KEY CHECK(one = 1), entries INTEGER, stored INTEGER);
INSERT OR IGNORE INTO totals VALUES(1, 0, 0);
CREATE INDEX IF NOT EXISTS by_age ON originals(created);
CREATE TRIGGER IF NOT EXISTS came AFTER INSERT ON originals BEGIN
  UPDATE totals SET entries = entries + 1, stored = stored + new.stored; END;
CREATE TRIGGER IF NOT EXISTS went AFTER DELETE ON originals BEGIN
  UPDATE totals SET entries = entries - 1, stored = stored - old.stored;
  DELETE FROM chunks WHERE original = old.id; END;
"""


class SqliteTier:
    """The lasting tier on one machine.

    Args:
        folder: a private folder.
        settings: ``disk_max_entries``, ``disk_max_bytes`` and ``ccr_ttl_secs`` count.
        minter: ties each part of an original to its token.
        secret: the folder's secret, put back when the folder was removed under a running process.
    """

    name = "disk"
    lasting = True

    def __init__(self, folder: Path, settings: Settings, minter: Minter, secret: bytes) -> None:
        self.path = folder / FILE
        self._minter, self._secret = minter, secret
        self._most_entries = settings.disk_max_entries
        self._most_bytes = settings.disk_max_bytes
        self._ttl = settings.ccr_ttl_secs or None
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = 0
        self._inode = (0, 0)

    def save(self, token: str, data: bytes, lines: int) -> None:
        """Keeps `data` compressed; storing it again makes it the newest.

        Raises:
            StoreError: disk full, read-only, locked or damaged beyond mending.
        """
        pieces = [data[start : start + CHUNK] for start in range(0, len(data), CHUNK)]
        self._save(token, list(self._compressed(token, pieces)), len(data), lines)

    def save_file(self, token: str, path: Path, lines: int) -> None:
        """Keeps a file's content, read in pieces: memory stays flat, the lock is held meanwhile.

        Raises:
            StoreError: as for `save`, or the file cannot be read.
        """
        with self._guarded():
            size = path.stat().st_size
        self._save(token, self._compressed(token, _pieces(path)), size, lines)

    def _compressed(self, token: str, pieces: Iterable[bytes]) -> Iterator[tuple[int, bytes, bytes]]:
        """Yields the first line (1-based) that touches each piece, the piece compressed, its MAC."""
        line = 1
        for n, piece in enumerate(pieces):
            yield line, zlib.compress(piece, 1), self._minter.mac(token, n, piece)
            line += piece.count(b"\n")

    def _save(self, token: str, chunks: Iterable[tuple[int, bytes, bytes]], size: int, lines: int) -> None:
        def write(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM originals WHERE token = ?", (token,))
            key = db.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM originals").fetchone()[0]
            stored = 0
            for n, (first, blob, mac) in enumerate(chunks):
                stored += len(blob)
                if stored > self._most_bytes:
                    raise StoreError(f"{size} bytes do not fit into disk_max_bytes={self._most_bytes}")
                db.execute("INSERT INTO chunks VALUES(?, ?, ?, ?, ?)", (key, n, first, blob, mac))
            db.execute(
                "INSERT INTO originals(id, token, created, bytes, lines, stored) VALUES(?, ?, ?, ?, ?, ?)",
                (key, token, time(), size, lines, stored),
            )
            self._evict(db, keep=key)

        self._transact(write)

    def load(self, token: str) -> bytes | None:
        """Returns the original, or None when it is not here or expired."""

        def read(db: sqlite3.Connection) -> bytes | None:
            found = self._find(db, token)
            return None if found is None else self._chunks(db, token, found[0], 0, 1 << 40)

        return self._read(read)

    def load_lines(self, token: str, first: int, last: int) -> bytes | None:
        """Returns a range of lines, reading only the chunks it touches."""

        def read(db: sqlite3.Connection) -> bytes | None:
            found = self._find(db, token)
            if found is None:
                return None
            start, end = max(1, first), last
            if end < start:
                return b""
            rows = db.execute("SELECT n, first_line FROM chunks WHERE original = ? ORDER BY n", (found[0],))
            firsts = [row[1] for row in rows]
            low = max(0, _first_chunk(firsts, start))
            high = bisect_right(firsts, end + 1)
            data = self._chunks(db, token, found[0], low, high)
            begin = line_start(data, start - firsts[low] + 1) if firsts else 0
            return data[begin : line_start(data, end - start + 2, begin)]

        return self._read(read)

    def load_bytes(self, token: str, start: int, end: int) -> bytes | None:
        """Returns a range of bytes, reading only the chunks it touches."""

        def read(db: sqlite3.Connection) -> bytes | None:
            found = self._find(db, token)
            if found is None:
                return None
            begin = max(0, start)
            if end <= begin:
                return b""
            low = begin // CHUNK
            data = self._chunks(db, token, found[0], low, (end - 1) // CHUNK + 1)
            return data[begin - low * CHUNK : end - low * CHUNK]

        return self._read(read)

    def size_of(self, token: str) -> tuple[int, int] | None:
        """Returns bytes and lines, or None."""

        def read(db: sqlite3.Connection) -> tuple[int, int] | None:
            found = self._find(db, token)
            return None if found is None else (found[1], found[2])

        return self._read(read)

    def stats(self) -> dict[str, Any]:
        """Returns entries, bytes on disk, caps and place."""

        def read(db: sqlite3.Connection) -> tuple[int, int]:
            row = db.execute("SELECT entries, stored FROM totals").fetchone()
            return int(row[0]), int(row[1])

        entries, stored = self._read(read) or (0, 0)
        return {
            "entries": entries,
            "bytes": stored,
            "max_entries": self._most_entries,
            "max_bytes": self._most_bytes,
            "path": str(self.path),
        }

    def gc(self) -> int:
        """Removes what is expired or over the caps, and gives the space back."""

        def sweep(db: sqlite3.Connection) -> int:
            before = db.execute("SELECT entries FROM totals").fetchone()[0]
            if self._ttl is not None:
                db.execute("DELETE FROM originals WHERE created < ?", (time() - self._ttl,))
            self._evict(db, keep=0)
            return int(before) - int(db.execute("SELECT entries FROM totals").fetchone()[0])

        gone = self._transact(sweep)
        with suppress(sqlite3.Error), self._lock:
            self._open().execute("PRAGMA incremental_vacuum")
        return gone

    def clear(self) -> int:
        """Removes everything."""
        return self._transact(lambda db: db.execute("DELETE FROM originals").rowcount)

    def close(self) -> None:
        """Closes the connection; the next call opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and self._pid == os.getpid():
                connection.close()

    def _evict(self, db: sqlite3.Connection, keep: int) -> None:
        """Deletes the oldest entries until the caps hold again."""
        entries, stored = db.execute("SELECT entries, stored FROM totals").fetchone()
        if entries <= self._most_entries and stored <= self._most_bytes:
            return
        spare = over = 0
        if entries > self._most_entries:
            spare = entries - self._most_entries + int(self._most_entries * SLACK)
        if stored > self._most_bytes:
            over = stored - self._most_bytes + int(self._most_bytes * SLACK)
        doomed: list[tuple[int]] = []
        # By the order they came in, not by their times: a clock may jump.
        query = "SELECT id, stored FROM originals WHERE id != ? ORDER BY id"
        for key, size in db.execute(query, (keep,)):
            if len(doomed) >= spare and over <= 0:
                break
            doomed.append((key,))
            over -= size
        db.executemany("DELETE FROM originals WHERE id = ?", doomed)

    def _find(self, db: sqlite3.Connection, token: str) -> tuple[int, int, int] | None:
        row = db.execute(
            "SELECT id, bytes, lines, created FROM originals WHERE token = ?", (token,)
        ).fetchone()
        # A clock that jumped back makes an entry look unborn, not old.
        if row is None or (self._ttl is not None and time() - row[3] > self._ttl):
            return None
        return int(row[0]), int(row[1]), int(row[2])

    def _chunks(self, db: sqlite3.Connection, token: str, key: int, low: int, high: int) -> bytes:
        """Returns the chunks from `low` to `high` (excluded), each checked to be the one stored."""
        query = "SELECT n, data, mac FROM chunks WHERE original = ? AND n >= ? AND n < ? ORDER BY n"
        parts = []
        for n, blob, mac in db.execute(query, (key, low, high)):
            parts.append(zlib.decompress(blob))
            if not self._minter.made_mac(mac, token, n, parts[-1]):
                raise StoreError(f"{self.path}: part {n} of {token} is not what was stored")
        return b"".join(parts)

    def _read(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        if not self.path.exists():
            return None
        with self._guarded():
            db = self._open()
            db.execute("BEGIN")  # one snapshot: an eviction between two reads would tear the answer
            try:
                return work(db)
            finally:
                db.rollback()

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._guarded():
            db = self._open()
            db.execute("BEGIN IMMEDIATE")
            try:
                answer = work(db)
                db.commit()
            except BaseException:
                with suppress(sqlite3.Error):
                    db.rollback()
                raise
            return answer

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Serialises threads and turns every failure into a StoreError."""
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                self._after_failure(error)
                raise StoreError(f"{self.path}: {error}") from error
            except (OSError, zlib.error) as error:
                raise StoreError(f"{self.path}: {error}") from error

    def _after_failure(self, error: sqlite3.DatabaseError) -> None:
        """Closes the connection, and puts a damaged file aside so that the next call starts anew."""
        connection, self._connection = self._connection, None
        with suppress(sqlite3.Error):
            if connection is not None:
                connection.close()
        words = str(error)
        if "not a database" not in words and "malformed" not in words:
            return
        with suppress(OSError):
            os.replace(self.path, self.path.with_name(f"{FILE}.damaged-{int(time())}"))
            for tail in ("-wal", "-shm"):
                Path(f"{self.path}{tail}").unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._pid == os.getpid() and self._inode == _inode(self.path):
            return self._connection
        # After a fork the parent's connection must neither be used nor closed here.
        self._pid = os.getpid()
        if not self.path.exists():
            self._make()
        check_owner(self.path)
        db = sqlite3.connect(self.path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
        _set_up(db)
        self._connection, self._inode = db, _inode(self.path)
        return db

    def _make(self) -> None:
        """Makes the file, and the folder with its secret where somebody removed them."""
        folder = self.path.parent
        private_folder(folder)
        keep_secret(folder, self._secret)
        if secret_of(folder) != self._secret:
            raise StoreError(f"{folder}: is another store by now")
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))


def _set_up(db: sqlite3.Connection) -> None:
    """Makes a new file a store; of several processes that come at once each may be first."""
    for attempt in range(SETUP_TRIES):
        try:
            if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                db.execute("PRAGMA auto_vacuum = INCREMENTAL")
                db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            empty = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0
            if version != VERSION and not (version == 0 and empty):
                raise sqlite3.DatabaseError(f"not a database of version {VERSION}")
            if empty:
                db.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}COMMIT;")
            return
        except sqlite3.OperationalError as error:
            # Changing the journal mode does not wait for others as statements do.
            if "locked" not in str(error) or attempt == SETUP_TRIES - 1:
                db.close()
                raise
            sleep(0.02)


def _inode(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def _pieces(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def _first_chunk(firsts: list[int], line: int) -> int:
    """The earliest chunk that can hold the start of `line`."""
    return bisect_right(firsts, line - 1) - 1 if line > 1 else 0
