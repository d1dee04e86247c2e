"""``tj doctor``: is everything there, private and working?"""

from __future__ import annotations

import platform
import stat
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import NamedTuple

import tokenjuice_ml
from tokenjuice_ml.cli import common
from tokenjuice_ml.settings import load_layers, user_config_path

EXTRAS = {
    "ml": ("onnxruntime", "tokenizers", "numpy", "fastapi", "uvicorn"),
    "serve": ("fastapi", "uvicorn", "mcp"),
    "tokens": ("tiktoken",),
    "torch": ("torch", "transformers"),
    "redis": ("redis",),
}


class Check(NamedTuple):
    """One finding: ok True, False (a problem) or None (for your information)."""

    name: str
    ok: bool | None
    says: str


def run(argv: list[str]) -> int:
    """Prints one line a check; 1 when something is wrong."""
    parser = common.parser("doctor", "Checks the installation.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args(argv)
    found = [
        check
        for maker in (_base, _config, _rules, _store, _round_trip, _ledger, _extras, _model)
        for check in safe(maker)
    ]
    if args.json:
        common.write_json([check._asdict() for check in found])
    else:
        for check in found:
            sign = {True: "ok  ", False: "BAD ", None: "    "}[check.ok]
            common.write_text(f"{sign} {check.name:12s} {check.says}")
    return 1 if any(check.ok is False for check in found) else 0


def safe(maker: Callable[[], Iterator[Check]]) -> list[Check]:
    """Runs the checks of `maker`; one that fails is a finding itself."""
    try:
        return list(maker())
    except Exception as error:
        return [Check(maker.__name__.strip("_"), False, f"{type(error).__name__}: {error}")]


def _base() -> Iterator[Check]:
    yield Check(
        "version", True, f"tokenjuice-ml {tokenjuice_ml.__version__}, Python {platform.python_version()}"
    )
    yield Check("interpreter", None, sys.executable)


def _config() -> Iterator[Check]:
    problems: list[str] = []
    _, origin = load_layers(problems=problems)
    yield Check(
        "config", not problems, f"{user_config_path()} ({len(origin)} settings differ from the defaults)"
    )
    for problem in problems:
        yield Check("config", False, problem)


def _rules() -> Iterator[Check]:
    from tokenjuice_ml.rules import load
    from tokenjuice_ml.settings import Settings

    loaded = load.load(None, Settings.load().project_rules)
    yield Check("rules", True, f"{len(loaded.all())} rules")
    for warning in loaded.warnings:
        yield Check("rules", False, warning)


def _store() -> Iterator[Check]:
    from tokenjuice_ml.ccr.store import opened, store_folder
    from tokenjuice_ml.errors import StoreError
    from tokenjuice_ml.settings import Settings

    settings = Settings.load()
    folder = store_folder(settings)
    if not settings.ccr_enabled:
        yield Check("store", True, f"{folder}: off (ccr_enabled = false)")
        return
    try:
        opened(settings, disk=True).close()
    except StoreError as error:
        yield Check("store", False, f"cannot be opened: {error}")
        return
    mode = stat.S_IMODE(folder.stat().st_mode)
    yield Check("store", mode == 0o700, f"{folder} (mode {mode:04o})")


def _round_trip() -> Iterator[Check]:
    from tokenjuice_ml.settings import Settings

    text = "a line of no interest\n" * 2000 + "error: needle\n" + "a line of no interest\n" * 2000
    settings = Settings.load().merged({"savings_enabled": False})
    juice = common.one_shot(settings, "doctor")
    result = juice.compress(text, command="./doctor-self-test", exit_code=1)
    back = juice.retrieve(result.token) if result.token else None
    good = "error: needle" in result.text and back == text.encode()
    said = f"; {result.reason}: {result.detail}" if result.compressor == "none" else ""
    tokens = f"{result.tokens_before} -> {result.tokens_after} tokens"
    yield Check("round trip", good, f"{tokens}, original back: {good}{said}")


def _ledger() -> Iterator[Check]:
    from tokenjuice_ml import savings
    from tokenjuice_ml.errors import StoreError

    try:
        yield Check("ledger", True, f"{savings.ledger_path()} ({savings.totals()['events']:,} events)")
    except StoreError as error:
        yield Check("ledger", False, str(error))


def _extras() -> Iterator[Check]:
    for extra, modules in EXTRAS.items():
        missing = [name for name in modules if find_spec(name) is None]
        says = (
            "installed"
            if not missing
            else f"pip install 'tokenjuice-ml[{extra}]' (missing: {', '.join(missing)})"
        )
        yield Check(f"[{extra}]", None, says)


def _model() -> Iterator[Check]:
    from tokenjuice_ml.saliency import control
    from tokenjuice_ml.settings import Settings

    settings = Settings.load()
    state = control.status(settings)
    words = "  ".join(f"{key}={value}" for key, value in state.items())
    enabled = "on" if settings.ml_compression_enabled else "off (ml_compression_enabled = false)"
    yield Check("saliency", None, f"{enabled}; {words} (one for all of this user's state folders)")
