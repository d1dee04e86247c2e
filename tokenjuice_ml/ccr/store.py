"""The store of originals: a chain of tiers under one minter of tokens.

Written to every tier, read from the first that has it. A text counts as kept only when the most
lasting tier that is configured took it: memory alone is no way back once a process ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tokenjuice_ml import log
from tokenjuice_ml.ccr.memory import MemoryTier
from tokenjuice_ml.ccr.token import SECRET_BYTES, Minter, check_owner, parse, secret_of
from tokenjuice_ml.errors import StoreError

if TYPE_CHECKING:
    from tokenjuice_ml.settings import Settings


T = TypeVar("T")

WORKSPACE = (".tokenjuice", "ccr")


class Tier(Protocol):
    """One place where originals are kept."""

    name: str
    lasting: bool

    def save(self, token: str, data: bytes, lines: int) -> None:
        """Keeps `data`. Raises StoreError when it could not."""

    def save_file(self, token: str, path: Path, lines: int) -> None:
        """Keeps the content of a file too large for memory. Raises StoreError."""

    def load(self, token: str) -> bytes | None:
        """Returns what stands under `token`, or None."""

    def load_lines(self, token: str, first: int, last: int) -> bytes | None:
        """Returns lines `first` to `last` (1-based, inclusive, clamped), or None."""

    def load_bytes(self, token: str, start: int, end: int) -> bytes | None:
        """Returns bytes `start` to `end` (0-based, half open, clamped), or None."""

    def size_of(self, token: str) -> tuple[int, int] | None:
        """Returns the bytes and lines of an original, or None."""

    def stats(self) -> dict[str, Any]:
        """Returns entries, bytes and caps."""

    def gc(self) -> int:
        """Removes what is expired or over the caps; returns how many entries went."""

    def clear(self) -> int:
        """Removes everything; returns how many entries went."""

    def close(self) -> None:
        """Lets go of files and connections."""


class Store:
    """Keeps originals under tokens.

    Args:
        minter: makes the tokens.
        tiers: from the fastest to the most lasting.
    """

    def __init__(self, minter: Minter, tiers: Sequence[Tier]) -> None:
        self.minter = minter
        self.tiers: tuple[Tier, ...] = tuple(tiers)

    def adopt(self, other: Store) -> None:
        """Goes on with the memory of a store whose settings changed: its tokens stay good.

        The very same tier: a call that still runs on the other store writes into it, too.
        """
        self.minter.adopt(other.minter)
        memory = other.tiers[0]
        new = self.tiers[0]
        if isinstance(memory, MemoryTier) and isinstance(new, MemoryTier):
            memory.resize(new)
            self.tiers = (memory, *self.tiers[1:])
        for tier in other.tiers[1:]:
            tier.close()

    def put(self, data: bytes, *, lines: int) -> str:
        """Keeps `data` and returns its token.

        Args:
            data: the original, byte for byte.
            lines: its lines.

        Raises:
            StoreError: the most lasting tier could not keep it.
        """
        token = self.minter.token_of(data)
        self._save(lambda tier: tier.save(token, data, lines))
        return token

    def put_file(self, path: Path, *, lines: int) -> str:
        """Keeps the content of a file, read in pieces, and returns its token.

        Raises:
            StoreError: the most lasting tier could not keep it, or the file cannot be read.
        """
        token = self.minter.token_of_file(path)
        self._save(lambda tier: tier.save_file(token, path, lines))
        return token

    def _save(self, save: Callable[[Tier], None]) -> None:
        failure: StoreError | None = None
        for tier in self.tiers:
            try:
                save(tier)
            except StoreError as error:
                log.failure(f"store {tier.name}", error)
                failure = error
            else:
                failure = None
        if failure is not None:
            raise failure

    def get(self, token: str) -> bytes | None:
        """Returns the original under `token`; None when there is none that fits its token."""
        for tier in self.tiers:
            data = _tolerant(tier, lambda tier: tier.load(token))
            if data is not None and self.minter.fits(token, data):
                return data
        return None

    def get_lines(self, token: str, first: int, last: int) -> bytes | None:
        """Returns lines `first` to `last` (1-based, inclusive, clamped), or None."""
        return self._first(lambda tier: tier.load_lines(token, first, last))

    def get_bytes(self, token: str, start: int, end: int) -> bytes | None:
        """Returns bytes `start` to `end` (0-based, half open, clamped), or None."""
        return self._first(lambda tier: tier.load_bytes(token, start, end))

    def size_of(self, token: str) -> tuple[int, int] | None:
        """Returns the bytes and lines of the original under `token`, or None."""
        return self._first(lambda tier: tier.size_of(token))

    def minted(self, token: str) -> bool:
        """Returns True when `token` was made by this store, whether it is still here or not."""
        return self.minter.minted(token)

    def contains(self, text: str) -> bool:
        """Returns True when `text` is a token of this store."""
        token = parse(text)
        return token is not None and self.size_of(token) is not None

    def stats(self) -> dict[str, dict[str, Any]]:
        """Returns what each tier holds."""
        return {tier.name: tier.stats() for tier in self.tiers}

    def gc(self) -> int:
        """Removes what is expired or over the caps; returns how many entries went."""
        return sum(tier.gc() for tier in self.tiers)

    def clear(self) -> int:
        """Removes everything; returns how many entries went."""
        return sum(tier.clear() for tier in self.tiers)

    def close(self) -> None:
        """Lets go of files and connections; the next call opens them again."""
        for tier in self.tiers:
            tier.close()

    def _first(self, ask: Callable[[Tier], T | None]) -> T | None:
        for tier in self.tiers:
            answer = _tolerant(tier, ask)
            if answer is not None:
                return answer
        return None


def _tolerant(tier: Tier, ask: Callable[[Tier], T | None]) -> T | None:
    """Asks a tier; one that fails has nothing, the next may."""
    try:
        return ask(tier)
    except StoreError as error:
        log.failure(f"store {tier.name}", error)
        return None


def store_folder(settings: Settings, cwd: str | os.PathLike[str] | None = None) -> Path:
    """Returns the folder of the disk store that the settings name."""
    if settings.ccr_dir == "workspace":
        return Path(cwd or os.getcwd()).joinpath(*WORKSPACE)
    if settings.ccr_dir != "user":
        return Path(settings.ccr_dir).expanduser()
    return state_folder() / "ccr"


def state_folder() -> Path:
    """Returns the user's folder for state: ``$TOKENJUICE_STATE_DIR`` or the platform's place."""
    if os.environ.get("TOKENJUICE_STATE_DIR"):
        return Path(os.environ["TOKENJUICE_STATE_DIR"])
    if os.name == "posix" and os.uname().sysname != "Darwin":
        base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
        return Path(base) / "tokenjuice"
    from platformdirs import user_state_path

    return user_state_path("tokenjuice", appauthor=False)


def open_store(
    settings: Settings, cwd: str | os.PathLike[str] | None = None, *, disk: bool | None = None
) -> Store | None:
    """Returns the store that the settings describe; None when it is off or cannot be opened.

    Args:
        settings: the ``ccr_*``, ``disk_*`` and ``max_cache_*`` keys count.
        cwd: working directory, for ``ccr_dir = "workspace"``.
        disk: True makes the disk tier a must (one-shot surfaces); default what the settings say.
    """
    if not settings.ccr_enabled:
        return None
    try:
        return opened(settings, cwd, disk=disk)
    except StoreError as error:
        log.failure("open store", error)
        return None


def opened(
    settings: Settings, cwd: str | os.PathLike[str] | None = None, *, disk: bool | None = None
) -> Store:
    """Returns the store that the settings describe; arguments as for `open_store`.

    Raises:
        StoreError: it cannot be opened; names the path and what stands against it.
    """
    on_disk = settings.ccr_disk_enabled if disk is None else disk
    tiers: list[Tier] = [MemoryTier(settings)]
    folder = store_folder(settings, cwd)
    try:
        if not on_disk and not settings.ccr_redis_url:
            return Store(Minter(os.urandom(SECRET_BYTES)), tiers)
        private_folder(folder)
        own = secret_of(folder)
        minter = Minter(own)
        if settings.ccr_redis_url:
            from tokenjuice_ml.ccr.redis import RedisTier

            redis = RedisTier(settings)
            tiers.append(redis)
            redis.minter = minter = Minter(redis.shared_secret(own))
        if on_disk:
            from tokenjuice_ml.ccr.sqlite import SqliteTier

            tiers.insert(1, SqliteTier(folder, settings, minter, own))
            minter.adopt(Minter(own))  # what was stored before there was a fleet
    except StoreError:
        for tier in tiers:
            tier.close()
        raise
    return Store(minter, tiers)


def private_folder(folder: Path) -> None:
    """Makes a folder that only its owner may enter.

    Raises:
        StoreError: it cannot be made, or is another user's.
    """
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if folder.parts[-2:] == WORKSPACE:
                # Originals and their secret must not be committed with the project.
                (folder / ".gitignore").write_text("*\n", encoding="ascii")
        check_owner(folder)
    except OSError as error:
        raise StoreError(f"{folder}: {error.strerror or error}") from error
