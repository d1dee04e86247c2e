"""Which project rule folders the user trusts. The trust is on the content: a change ends it."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any


def trust_file() -> Path:
    """Returns the file with the trusted folders, in the user's own config folder."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "tokenjuice" / "trusted-rules.json"


def stamp() -> tuple[int, int]:
    """Returns what changes when the trust file changes."""
    try:
        stat = trust_file().stat()
    except OSError:
        return 0, 0
    return stat.st_mtime_ns, stat.st_size


def digest(folder: Path) -> str:
    """Returns the SHA-256 over names and contents of the rule files under `folder`."""
    from tokenjuice_ml.rules.load import rule_files

    total = hashlib.sha256()
    for path in rule_files(folder):
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape")
        total.update(b"%d %d " % (len(name), len(content)) + name + content)
    return total.hexdigest()


def _read() -> dict[str, Any]:
    try:
        data = json.loads(trust_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def is_trusted(folder: Path) -> bool:
    """Returns True when the user trusts exactly this content of `folder`."""
    known = _read().get(str(folder.resolve()))
    return isinstance(known, str) and known == digest(folder)


def trust(folder: Path) -> str:
    """Trusts the present content of `folder` and returns its digest."""
    content = digest(folder)
    _write({**_read(), str(folder.resolve()): content})
    return content


def untrust(folder: Path) -> bool:
    """Takes the trust back; returns whether there was any."""
    known = _read()
    had = known.pop(str(folder.resolve()), None) is not None
    if had:
        _write(known)
    return had


def _write(known: dict[str, Any]) -> None:
    path = trust_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(known, file, indent=2, sort_keys=True)
    os.replace(temporary, path)
