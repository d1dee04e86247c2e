"""Where the sidecar of a user, model and device is found: a folder of this user's alone."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import NamedTuple

_HUB_ID = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?")


class Places(NamedTuple):
    """The files of one sidecar.

    Attributes:
        info: JSON with pid, socket or port, and bearer token; there once the sidecar answers.
        lock: held by the sidecar for as long as it lives.
        socket: the Unix socket.
        starts: how often and when it was started lately.
        error: why it last went away, in one line.
        slow: touched when it did not answer in time.
        log: what it wrote to stderr.
    """

    info: Path
    lock: Path
    socket: Path
    starts: Path
    error: Path
    slow: Path
    log: Path


def runtime_folder() -> Path:
    """Returns the user's runtime folder for this package, made with mode 0700.

    ``TOKENJUICE_RUNTIME_DIR`` names another one.

    Raises:
        OSError: it cannot be made, or is not this user's alone.
    """
    own = os.environ.get("TOKENJUICE_RUNTIME_DIR")
    base = os.environ.get("XDG_RUNTIME_DIR")
    if own:
        folder = Path(own)
        folder.parent.mkdir(parents=True, exist_ok=True)
    elif base and os.path.isdir(base) and os.access(base, os.W_OK):
        folder = Path(base) / "tokenjuice"
    else:
        user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
        folder = Path(tempfile.gettempdir()) / f"tokenjuice-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        seen = os.lstat(folder)
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid() or seen.st_mode & 0o077:
            raise PermissionError(f"{folder} is not a private folder of this user")
    return folder


def places(model: str, device: str, version: str, folder: Path | None = None) -> Places:
    """Returns the files of the sidecar for one model and device.

    Raises:
        OSError: there is no private runtime folder.
    """
    key = hashlib.sha256(f"{settled(model)}\0{device}\0{version}".encode()).hexdigest()[:12]
    base = folder or runtime_folder()
    endings = ("json", "lock", "sock", "starts", "error", "slow", "log")
    return Places(*(base / f"saliency-{key}.{ending}" for ending in endings))


def model_folder(model_id: str) -> Path | None:
    """Returns the folder of a model that is on disk, or None for a hub id.

    Raises:
        FileNotFoundError: ``bundled`` is asked for and is not there.
    """
    if model_id == "bundled":
        from tokenjuice_ml.resources import data_dir

        found = sorted(data_dir("models").glob("saliency-modernbert-v*"), key=_version)
        if not found:
            raise FileNotFoundError("the bundled model is missing; reinstall the package")
        return found[-1]
    path = os.path.expanduser(model_id)
    return Path(os.path.abspath(path)) if os.path.isdir(path) else None


def settled(model_id: str) -> str:
    """Returns a model's id as it means the same from every working directory."""
    if model_id == "bundled":
        return model_id
    path = os.path.expanduser(model_id)
    return os.path.abspath(path) if os.path.isdir(path) else model_id


def not_on_disk(model_id: str) -> str:
    """Returns what is wrong with a model id that names no folder, or "" for a hub id in the local cache."""
    path = os.path.expanduser(model_id)
    if os.path.exists(path):
        return f"{path} is not a folder (ml_model_id)"
    if not _HUB_ID.fullmatch(model_id):
        return f"no such folder: {path} (ml_model_id)"
    name = "models--" + model_id.replace("/", "--")
    if any(os.path.isdir(os.path.join(cache, name)) for cache in _hub_caches()):
        return ""
    return (
        f"no folder {model_id} here, and none of that hub id in {_hub_caches()[0]} (ml_model_id); "
        f"nothing is downloaded by itself: hf download {model_id}"
    )


def _hub_caches() -> list[str]:
    """Returns where the hub's libraries look, the place that they write to first."""
    env = os.environ
    home = env.get("HF_HOME") or os.path.join(env.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    named = [env.get("HF_HUB_CACHE"), env.get("HUGGINGFACE_HUB_CACHE"), os.path.join(home, "hub")]
    found = [*named, env.get("TRANSFORMERS_CACHE")]
    return [os.path.expanduser(path) for path in found if path]


def _version(path: Path) -> int:
    digits = path.name.rpartition("-v")[2]
    return int(digits) if digits.isdigit() else -1
