"""Originals in Redis or Valkey, for fleets whose machines share them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from tokenjuice_ml.ccr.slices import slice_bytes, slice_lines
from tokenjuice_ml.errors import StoreError

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.token import Minter
    from tokenjuice_ml.settings import Settings

T = TypeVar("T")

PREFIX = "tokenjuice:ccr:"
SECRET_KEY = "tokenjuice:secret"
# A request path waits this long at most; then the result is withdrawn and the loop goes on.
TIMEOUT_S = 1.0
LARGEST = 256 << 20
# After a failure the server is left alone for so long: a dead address must not cost each call a second.
REST_S = 2.0


class RedisTier:
    """The tier that a fleet shares; size caps are the server's (``maxmemory``).

    Args:
        settings: ``ccr_redis_url`` and ``ccr_ttl_secs`` count.

    Raises:
        StoreError: the ``[redis]`` extra is not installed or the URL is bad.
    """

    name = "redis"
    lasting = True
    minter: Minter | None = None

    def __init__(self, settings: Settings) -> None:
        try:
            import redis
        except ImportError:
            raise StoreError("ccr_redis_url needs: pip install 'tokenjuice-ml[redis]'") from None
        self._ttl = settings.ccr_ttl_secs
        self._rest_until = 0.0
        self._errors = (redis.RedisError, OSError)
        try:
            self._client = redis.Redis.from_url(
                settings.ccr_redis_url or "", socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S
            )
        except ValueError as error:
            raise StoreError(f"ccr_redis_url: {error}") from error

    def shared_secret(self, own: bytes) -> bytes:
        """Returns the fleet's secret; the first machine that comes gives its own."""

        def agree(client: Any) -> bytes:
            client.set(SECRET_KEY, own, nx=True)
            return bytes(client.get(SECRET_KEY) or own)

        return self._ask(agree)

    def save(self, token: str, data: bytes, lines: int) -> None:
        """Keeps `data` compressed.

        Raises:
            StoreError: the server is away, refuses, or is out of memory.
        """
        if len(data) > LARGEST:
            raise StoreError(f"{len(data)} bytes are too many for one Redis value")
        packed = {"data": zlib.compress(data, 1), "bytes": len(data), "lines": lines}

        def write(client: Any) -> None:
            key = PREFIX + token
            with client.pipeline(transaction=True) as pipe:
                pipe.hset(key, mapping=packed)
                pipe.expire(key, self._ttl) if self._ttl else pipe.persist(key)
                pipe.execute()

        self._ask(write)

    def save_file(self, token: str, path: Path, lines: int) -> None:
        """Keeps a file's content if one value can hold it.

        Raises:
            StoreError: too large, not readable, or the server is away.
        """
        try:
            size = path.stat().st_size
            data = path.read_bytes() if size <= LARGEST else None
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error
        if data is None:
            raise StoreError(f"{size} bytes are too many for one Redis value")
        self.save(token, data, lines)

    def load(self, token: str) -> bytes | None:
        """Returns the original, or None."""
        packed = self._ask(lambda client: client.hget(PREFIX + token, "data"))
        if packed is None:
            return None
        try:
            data = zlib.decompress(packed)
        except zlib.error as error:
            raise StoreError(f"redis: {token}: {error}") from error
        if self.minter is not None and not self.minter.fits(token, data):
            raise StoreError(f"redis: {token}: not what was stored")
        return data

    def load_lines(self, token: str, first: int, last: int) -> bytes | None:
        """Returns a range of lines, or None."""
        data = self.load(token)
        return None if data is None else slice_lines(data, first, last)

    def load_bytes(self, token: str, start: int, end: int) -> bytes | None:
        """Returns a range of bytes, or None."""
        data = self.load(token)
        return None if data is None else slice_bytes(data, start, end)

    def size_of(self, token: str) -> tuple[int, int] | None:
        """Returns bytes and lines, or None."""
        size, lines = self._ask(lambda client: client.hmget(PREFIX + token, "bytes", "lines"))
        return None if size is None else (int(size), int(lines))

    def stats(self) -> dict[str, Any]:
        """Returns entries and the memory that the server uses."""

        def read(client: Any) -> dict[str, Any]:
            entries = sum(1 for _ in client.scan_iter(PREFIX + "*", count=1000))
            memory = client.info("memory")
            return {
                "entries": entries,
                "bytes": int(memory.get("used_memory", 0)),
                "max_entries": 0,
                "max_bytes": int(memory.get("maxmemory", 0)),
            }

        return self._ask(read)

    def gc(self) -> int:
        """Returns 0: the server expires and evicts by itself."""
        return 0

    def clear(self) -> int:
        """Removes every original."""

        def remove(client: Any) -> int:
            return sum(client.delete(key) for key in client.scan_iter(PREFIX + "*", count=1000))

        return self._ask(remove)

    def close(self) -> None:
        """Gives the connections back."""
        self._client.close()

    def _ask(self, work: Callable[[Any], T]) -> T:
        if monotonic() < self._rest_until:
            raise StoreError("redis: was away a moment ago")
        try:
            return work(self._client)
        except self._errors as error:
            self._rest_until = monotonic() + REST_S
            raise StoreError(f"redis: {error}") from error
