"""What `tj sidecar` does: start, status, stop, warm, and the unit text for a service manager."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

from tokenjuice_ml.saliency import client, launch, starts
from tokenjuice_ml.saliency.paths import Places, places

if TYPE_CHECKING:
    from tokenjuice_ml.settings import Settings

_STOP_SECONDS = 5.0
_WARM_SECONDS = 60.0


def start(settings: Settings) -> dict[str, Any]:
    """Starts the sidecar in the background and says how it stands; does not wait for the model.

    Whoever asks for it by name is not held off by what came to nothing before.
    """
    try:
        files = _files(settings)
        if client.read_info(files) is None:
            _forgive(files)
            problem = launch.ensure_started(files, settings)
            if problem:
                return {"ok": False, "state": "not started", "why": problem}
    except OSError as error:
        return {"ok": False, "state": "not started", "why": str(error)}
    state = status(settings)
    return (state if state["state"] == "running" else {"state": "starting"}) | {"ok": True}


def status(settings: Settings) -> dict[str, Any]:
    """Returns whether the sidecar runs, with its health where it answers."""
    try:
        files = _files(settings)
    except OSError as error:
        return {"ok": False, "state": "stopped", "why": str(error)}
    info = client.read_info(files)
    if info is None:
        return _absent(files, settings)
    try:
        health = client.request(info, "GET", "/healthz", None, time.monotonic() + 2.0)
    except (OSError, ValueError, client.Refused) as error:
        return {"ok": False, "state": "not answering", "pid": info.get("pid"), "why": str(error) or "timeout"}
    where = info.get("socket") or f"127.0.0.1:{info.get('port')}"
    return {"ok": True, "state": "running", **{k: v for k, v in health.items() if k != "ok"}, "at": where}


def _absent(files: Places, settings: Settings) -> dict[str, Any]:
    if launch.held(files):
        return {"ok": False, "state": "starting"}
    why = launch.missing(settings) or starts.why(files)
    return {"ok": False, "state": "stopped"} | ({"why": why} if why else {})


def stop(settings: Settings) -> dict[str, Any]:
    """Ends the sidecar and waits until it is gone."""
    try:
        files = _files(settings)
    except OSError as error:
        return {"ok": True, "state": "stopped", "why": str(error)}
    pid = _holder(files)
    if pid is None:
        files.info.unlink(missing_ok=True)
        starts.reset(files)
        return {"ok": True, "state": "stopped"}
    os.kill(pid, signal.SIGTERM)
    if _gone(files, pid, _STOP_SECONDS):
        files.info.unlink(missing_ok=True)
        starts.reset(files)
        return {"ok": True, "state": "stopped", "pid": pid}
    os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    gone = _gone(files, pid, 1.0)
    files.info.unlink(missing_ok=True)
    starts.reset(files)
    return {"ok": gone, "state": "killed", "pid": pid}


def _holder(files: Places) -> int | None:
    """Returns the process that holds the lock, ready or still loading; no other is ever ended."""
    if not launch.held(files):
        return None
    try:
        pid = int(files.lock.read_text("ascii"))
    except (OSError, ValueError):
        return None
    return pid if client.alive(pid) else None


def _gone(files: Places, pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        launch.reap()
        if not client.alive(pid) or not launch.held(files):
            return True
        time.sleep(0.02)
    return False


def warm(settings: Settings) -> dict[str, Any]:
    """Starts the sidecar, waits for the model and scores one sentence; as `start`, not held off."""
    begin = time.monotonic()
    try:
        _forgive(_files(settings))
    except OSError as error:
        return {"ok": False, "state": "cold", "why": str(error)}
    answer = client.scores(
        "The first request loads nothing any more.",
        settings.merged({"ml_cold_start": "wait", "ml_timeout_ms": int(_WARM_SECONDS * 1000)}),
    )
    ready = round((time.monotonic() - begin) * 1000)
    if answer.scores is None:
        return {"ok": False, "state": "cold", "why": answer.why, "ms": ready}
    return status(settings) | {"ms": ready}


def _forgive(files: Places) -> None:
    if not launch.held(files):
        starts.reset(files)


def unit(settings: Settings, manager: str | None = None) -> str:
    """Returns the text of a user service that keeps the sidecar at hand.

    Args:
        settings: which model, which device.
        manager: ``systemd`` or ``launchd``; default that of this platform.
    """
    files = _files(settings)
    words = [word for word in launch.command(files, settings) if not word.startswith("--idle=")]
    words.append("--idle=1000000000")  # the manager decides when it ends
    from tokenjuice_ml.resources import data_dir

    folder = str(data_dir("sidecar").parent)
    if (manager or ("launchd" if sys.platform == "darwin" else "systemd")) == "launchd":
        return _launchd(words, folder)
    return _systemd(words, folder)


def _systemd(words: list[str], folder: str) -> str:
    return (
        "# ~/.config/systemd/user/tokenjuice-saliency.service\n"
        "[Unit]\nDescription=TokenJuice saliency sidecar\n\n"
        "[Service]\n"
        f"ExecStart={shlex.join(words)}\n"
        f"WorkingDirectory={folder}\n"
        f"Environment=PYTHONPATH={folder} HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1\n"
        "Restart=on-failure\nRestartSec=10\nNice=5\nPrivateNetwork=yes\nUMask=0077\n\n"
        "[Install]\nWantedBy=default.target\n"
    )


def _launchd(words: list[str], folder: str) -> str:
    from xml.sax.saxutils import escape

    arguments = "\n".join(f"    <string>{escape(word)}</string>" for word in words)
    return (
        "<!-- ~/Library/LaunchAgents/tokenjuice.saliency.plist -->\n"
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<plist version="1.0">\n<dict>\n'
        "  <key>Label</key><string>tokenjuice.saliency</string>\n"
        f"  <key>ProgramArguments</key><array>\n{arguments}\n  </array>\n"
        f"  <key>WorkingDirectory</key><string>{escape(folder)}</string>\n"
        "  <key>EnvironmentVariables</key><dict>\n"
        f"    <key>PYTHONPATH</key><string>{escape(folder)}</string>\n"
        "    <key>HF_HUB_OFFLINE</key><string>1</string>\n"
        "  </dict>\n  <key>RunAtLoad</key><true/>\n</dict>\n</plist>\n"
    )


def _files(settings: Settings) -> Places:
    from tokenjuice_ml import __version__

    return places(settings.ml_model_id, settings.ml_device, __version__)
