"""Tokens: unguessable names of originals.

A token is 27 decimal digits of a keyed BLAKE2b digest of the content (89.7 bits). Of the
spellings measured in o200k tokens digits are cheapest: nine tokens always, three digits each,
where 17 base-32 signs take 10.5 on average and 22 hex digits 12.6 with up to 18.
"""

from __future__ import annotations

import os
import secrets
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

from tokenjuice_ml import marker
from tokenjuice_ml.errors import StoreError

DIGITS = 27
_MODULUS = 10**DIGITS
SECRET_BYTES = 32
SECRET_FILE = "secret"


class Minter:
    """Makes tokens under one secret.

    Args:
        secret: the key of a store; whoever lacks it cannot guess a token from the content.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def token_of(self, data: bytes) -> str:
        """Returns the token of `data`."""
        # 16 bytes: the bias of the modulo stays under 2**-38.
        return _spell(blake2b(data, key=self._secret, digest_size=16).digest())

    def token_of_file(self, path: Path) -> str:
        """Returns the token of a file's content, read in pieces.

        Raises:
            StoreError: the file cannot be read.
        """
        digest = blake2b(key=self._secret, digest_size=16)
        try:
            with open(path, "rb") as file:
                while piece := file.read(1 << 20):
                    digest.update(piece)
        except OSError as error:
            raise StoreError(f"{path}: {error.strerror or error}") from error
        return _spell(digest.digest())

    def fits(self, token: str, data: bytes) -> bool:
        """Returns True when `data` is what `token` was made of."""
        return compare_digest(self.token_of(data), token)


def _spell(digest: bytes) -> str:
    return f"{int.from_bytes(digest, 'big') % _MODULUS:0{DIGITS}d}"


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
            _make_secret(path)
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
    if len(data) != SECRET_BYTES:
        raise StoreError(f"{path}: not a store secret; remove the file to start a new store")
    return data


def _make_secret(path: Path) -> None:
    """Writes the secret aside and links it into place: of two processes one wins, whole."""
    aside = path.with_name(f"{SECRET_FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, secrets.token_bytes(SECRET_BYTES))
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    except OSError:  # no hard links here: the rename is atomic too, the last one wins
        os.replace(aside, path)
        return
    aside.unlink(missing_ok=True)
