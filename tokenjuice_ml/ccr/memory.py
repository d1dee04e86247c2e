"""Originals in memory: bounded by entries and bytes, oldest out first."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from tokenjuice_ml.ccr.slices import slice_bytes, slice_lines
from tokenjuice_ml.errors import StoreError

if TYPE_CHECKING:
    from tokenjuice_ml.settings import Settings

FILE_SHARE = 8


class _Entry(NamedTuple):
    data: bytes
    lines: int
    born: float


class MemoryTier:
    """A thread-safe cache of originals.

    Args:
        settings: ``max_cache_entries``, ``max_cache_bytes`` and ``ccr_ttl_secs`` count.
    """

    name = "memory"
    lasting = False

    def __init__(self, settings: Settings) -> None:
        self._most_entries = settings.max_cache_entries
        self._most_bytes = settings.max_cache_bytes
        self._ttl = settings.ccr_ttl_secs or None
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def save(self, token: str, data: bytes, lines: int) -> None:
        """Keeps `data`; storing it again makes it the newest.

        Raises:
            StoreError: larger than the whole cache.
        """
        if len(data) > self._most_bytes:
            raise StoreError(f"{len(data)} bytes do not fit into max_cache_bytes={self._most_bytes}")
        with self._lock:
            self._remove(token)
            self._entries[token] = _Entry(data, lines, monotonic())
            self._bytes += len(data)
            self._shrink()

    def save_file(self, token: str, path: Path, lines: int) -> None:
        """Keeps a file's content if it is small beside the cache.

        Raises:
            StoreError: not small: what came as a file was too large to be held, or not readable.
        """
        most = self._most_bytes // FILE_SHARE
        try:
            size = path.stat().st_size
            data = path.read_bytes() if size <= most else None
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error
        if data is None:
            raise StoreError(
                f"{size} bytes are more than 1/{FILE_SHARE} of max_cache_bytes={self._most_bytes}"
            )
        self.save(token, data, lines)

    def load(self, token: str) -> bytes | None:
        """Returns the original, or None when it is not here or expired."""
        entry = self._entry(token)
        return None if entry is None else entry.data

    def load_lines(self, token: str, first: int, last: int) -> bytes | None:
        """Returns a range of lines, or None."""
        entry = self._entry(token)
        return None if entry is None else slice_lines(entry.data, first, last)

    def load_bytes(self, token: str, start: int, end: int) -> bytes | None:
        """Returns a range of bytes, or None."""
        entry = self._entry(token)
        return None if entry is None else slice_bytes(entry.data, start, end)

    def size_of(self, token: str) -> tuple[int, int] | None:
        """Returns bytes and lines, or None."""
        entry = self._entry(token)
        return None if entry is None else (len(entry.data), entry.lines)

    def resize(self, like: MemoryTier) -> None:
        """Takes the caps of another tier; what is over them goes, oldest first."""
        with self._lock:
            self._most_entries, self._most_bytes, self._ttl = like._most_entries, like._most_bytes, like._ttl
            self._shrink()

    def stats(self) -> dict[str, Any]:
        """Returns entries, bytes and caps."""
        with self._lock:
            return {
                "entries": len(self._entries),
                "bytes": self._bytes,
                "max_entries": self._most_entries,
                "max_bytes": self._most_bytes,
            }

    def gc(self) -> int:
        """Removes expired entries."""
        with self._lock:
            old = [token for token, entry in self._entries.items() if self._expired(entry)]
            for token in old:
                self._remove(token)
            return len(old)

    def clear(self) -> int:
        """Removes everything."""
        with self._lock:
            count = len(self._entries)
            self._entries.clear()
            self._bytes = 0
            return count

    def close(self) -> None:
        """Does nothing: memory holds no files."""

    def _entry(self, token: str) -> _Entry | None:
        with self._lock:
            entry = self._entries.get(token)
            if entry is not None and self._expired(entry):
                self._remove(token)
                return None
            return entry

    def _shrink(self) -> None:
        while len(self._entries) > self._most_entries or self._bytes > self._most_bytes:
            self._remove(next(iter(self._entries)))

    def _expired(self, entry: _Entry) -> bool:
        return self._ttl is not None and monotonic() - entry.born > self._ttl

    def _remove(self, token: str) -> None:
        entry = self._entries.pop(token, None)
        if entry is not None:
            self._bytes -= len(entry.data)
