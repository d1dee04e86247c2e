"""Tokens: unguessable names of originals.

A token is 27 decimal digits: 25 of the HMAC-SHA-256 of the content (83 bits; with today's processors
three times faster than BLAKE2) and two check digits under the same secret, which tell a token that this store made and lost from one it never made.
Of the spellings measured in o200k tokens digits are cheapest: nine tokens always, three digits
each, where 17 base-32 signs take 10.5 on average and 22 hex digits 12.6 with up to 18.
"""

from __future__ import annotations

import hmac
import os
from hashlib import blake2b
from pathlib import Path

from tokenjuice_ml import marker
from tokenjuice_ml.errors import StoreError

DIGITS = 27
CHECK_DIGITS = 2
_BODY = DIGITS - CHECK_DIGITS
MAC_BYTES = 8
SECRET_BYTES = 32
SECRET_FILE = "secret"


class Minter:
    """Makes tokens under one secret.

    Args:
        secret: the key of a store; whoever lacks it cannot guess a token from the content.
    """

    def __init__(self, secret: bytes) -> None:
        self.secret = secret
        self._part_key = hmac.digest(secret, b"parts of originals", "sha256")
        # Secrets of stores that this one took over: their tokens are still known.
        self._older: list[Minter] = []

    def adopt(self, other: Minter) -> None:
        """Knows the tokens of `other` from now on."""
        for minter in (other, *other._older):
            if minter.secret not in {known.secret for known in (self, *self._older)}:
                self._older.append(Minter(minter.secret))

    def token_of(self, data: bytes) -> str:
        """Returns the token of `data`."""
        return self._spell(hmac.digest(self.secret, data, "sha256"))

    def token_of_file(self, path: Path) -> str:
        """Returns the token of a file's content, read in pieces.

        Raises:
            StoreError: the file cannot be read.
        """
        digest = hmac.new(self.secret, digestmod="sha256")
        try:
            with open(path, "rb") as file:
                while piece := file.read(1 << 20):
                    digest.update(piece)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error
        return self._spell(digest.digest())

    def fits(self, token: str, data: bytes) -> bool:
        """Returns True when `data` is what `token` was made of."""
        made = hmac.compare_digest(self.token_of(data), token)
        return made or any(older.fits(token, data) for older in self._older)

    def minted(self, token: str) -> bool:
        """Returns True when `token` was made under this secret (a stranger's passes once in 100)."""
        own = hmac.compare_digest(self._check(token[:_BODY]), token[_BODY:])
        return own or any(older.minted(token) for older in self._older)

    def mac(self, token: str, place: int, data: bytes) -> bytes:
        """Returns what ties a part of an original to its token and its place."""
        return hmac.digest(self._part_key, b"%s %d\n%b" % (token.encode(), place, data), "sha256")[:MAC_BYTES]

    def made_mac(self, mac: bytes, token: str, place: int, data: bytes) -> bool:
        """Returns True when `mac` ties `data` to `token` and `place`."""
        made = hmac.compare_digest(self.mac(token, place, data), mac)
        return made or any(older.made_mac(mac, token, place, data) for older in self._older)

    def _spell(self, digest: bytes) -> str:
        # 16 bytes: the bias of the modulo stays under 2**-44.
        body = f"{int.from_bytes(digest[:16], 'big') % 10**_BODY:0{_BODY}d}"
        return body + self._check(body)

    def _check(self, body: str) -> str:
        digest = blake2b(body.encode(), key=self.secret, digest_size=4, person=b"check").digest()
        return f"{int.from_bytes(digest, 'big') % 10**CHECK_DIGITS:0{CHECK_DIGITS}d}"


def parse(text: str) -> str | None:
    """Returns the token that `text` spells, bare or in its marker; None when malformed.

    >>> parse(" ⟦tj:" + "1" * 27 + "⟧ ") == "1" * 27
    True
    >>> parse("../../etc/passwd") is None
    True
    """
    bare = text.strip().strip("'\"`").removeprefix(marker.OPEN).removesuffix(marker.CLOSE).removeprefix("tj:")
    return bare if len(bare) == DIGITS and bare.isascii() and bare.isdecimal() else None


def secret_of(folder: Path) -> bytes:
    """Returns the secret of the store in `folder`, made at the first call with mode 0600.

    Raises:
        StoreError: the file cannot be made or read, or holds no secret.
    """
    path = folder / SECRET_FILE
    try:
        if not path.exists():
            keep_secret(folder, os.urandom(SECRET_BYTES))
        check_owner(path)
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    if len(data) != SECRET_BYTES:
        raise StoreError(f"{path}: not a store secret; remove the file to start a new store")
    return data


def check_owner(path: Path) -> None:
    """Takes rights from others where a file of ours gives them any.

    Raises:
        StoreError: the file or folder is another user's.
        OSError: it cannot be looked at or changed.
    """
    if os.name != "posix":
        return
    found = path.stat()
    if found.st_uid != os.geteuid():
        raise StoreError(f"{path}: belongs to another user")
    if found.st_mode & 0o077:
        path.chmod(found.st_mode & 0o700)


def keep_secret(folder: Path, secret: bytes, name: str = SECRET_FILE) -> None:
    """Makes `secret` the folder's where it has none: of two processes one wins, whole.

    Raises:
        OSError: it cannot be written.
    """
    path = folder / name
    aside = path.with_name(f"{name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(handle)
        try:
            os.link(aside, path)
        except FileExistsError:
            return
        except OSError:  # no hard links here: the rename is atomic too, the last one wins
            os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
