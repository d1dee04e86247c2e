"""Starts the sidecar as a process of its own, at most one at a time, with back-off after crashes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tokenjuice_ml.saliency import starts
from tokenjuice_ml.saliency.paths import Places, model_folder, not_on_disk, settled

if TYPE_CHECKING:
    from tokenjuice_ml.settings import Settings

_ONNX_NEEDS = ("onnxruntime", "tokenizers", "numpy", "fastapi", "uvicorn")
_TORCH_NEEDS = ("torch", "transformers", "fastapi", "uvicorn")


class _Detached(subprocess.Popen[bytes]):
    """A process that outlives this one on purpose, so nobody is warned that it still runs."""

    def __del__(self) -> None:
        """Does nothing, where the parent class would warn."""


_children: list[subprocess.Popen[bytes]] = []


def ensure_started(files: Places, settings: Settings, deadline: float | None = None) -> str:
    """Starts the sidecar unless it is being started already; returns what forbids it, or "".

    Args:
        files: those of the sidecar.
        settings: which model, which device.
        deadline: monotonic time until which the caller would rather wait for a start than do without;
            None: it would not wait.

    Raises:
        OSError: the process or its files could not be made.
    """
    problem = missing(settings)
    if problem:
        return problem
    pressing = deadline is not None
    with starts.alone(files):
        book = starts.read(files)
        if held(files) or starts.is_fresh(files, book):
            return ""  # loading, or another process has just started it
        left = starts.pause(files, book, pressing)
        if not left:
            child = start(files, settings)
            starts.begun(files, book.vain + 1, child.pid)
            return ""
    if deadline is None or starts.last_error(files) or time.monotonic() + left >= deadline:
        return starts.why(files, pressing) or "sidecar failed to start"
    time.sleep(left)
    return ensure_started(files, settings, deadline)


def missing(settings: Settings) -> str:
    """Returns what a person has to install or fetch first, or an empty string."""
    try:
        folder = model_folder(settings.ml_model_id)
    except FileNotFoundError as error:
        return f"model file missing: {error}"
    if folder is None and (absent := not_on_disk(settings.ml_model_id)):
        return f"model file missing: {absent}"
    has_onnx = folder is not None and (folder / "model.onnx").is_file()
    if folder is not None and not has_onnx and not any(folder.glob("*.safetensors")):
        return f"model file missing: {folder} holds neither model.onnx nor *.safetensors"
    use_torch = not has_onnx
    needs, extra = (_TORCH_NEEDS, "ml,torch") if use_torch else (_ONNX_NEEDS, "ml")
    lacking = [name for name in needs if find_spec(name) is None]
    if lacking:
        return f"{', '.join(lacking)} not installed: pip install 'tokenjuice-ml[{extra}]'"
    return ""


def start(files: Places, settings: Settings) -> subprocess.Popen[bytes]:
    """Starts the process and returns at once.

    Raises:
        OSError: it could not be started.
    """
    from tokenjuice_ml.resources import data_dir

    reap()
    folder = data_dir("sidecar").parent
    files.error.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    log = os.open(files.log, flags, 0o600)
    try:
        child = _Detached(
            command(files, settings),
            cwd=folder,
            env=environment(str(folder)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            close_fds=True,
        )
    finally:
        os.close(log)
    _children.append(child)
    return child


def command(files: Places, settings: Settings) -> list[str]:
    """Returns the command line of the sidecar."""
    return [
        sys.executable,
        "-P",
        "-m",
        "sidecar",
        f"--model={settled(settings.ml_model_id)}",
        f"--device={settings.ml_device}",
        f"--idle={settings.ml_sidecar_idle_timeout_secs}",
        f"--files={files.info.with_suffix('')}",
    ]


def environment(folder: str) -> dict[str, str]:
    """Returns the environment of the sidecar: nothing may be fetched, nothing may spin."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_", "PYTEST"))}
    env.update(
        PYTHONPATH=folder,
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        TOKENIZERS_PARALLELISM="false",
        OMP_NUM_THREADS=env.get("OMP_NUM_THREADS", "1"),
    )
    return env


def held(files: Places) -> bool:
    """Says whether a sidecar lives, ready or not: it holds its lock."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        handle = os.open(files.lock, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        return False
    finally:
        os.close(handle)


def reap() -> None:
    """Forgets children that have ended, so that none stays as a zombie."""
    _children[:] = [child for child in _children if child.poll() is None]
