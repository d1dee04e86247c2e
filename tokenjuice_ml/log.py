"""``TOKENJUICE_LOG=debug``: what was detected and why, what ran, what was cut, how long it took.

Writes to stderr by hand: importing `logging` costs every CLI start 10 ms.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenjuice_ml.types import Compressed


def enabled() -> bool:
    """Returns True when the environment asks for debug lines."""
    return os.environ.get("TOKENJUICE_LOG", "").lower() in ("debug", "1", "true")


def debug(message: str) -> None:
    """Writes one line to stderr when debugging is on; never fails."""
    if not enabled():
        return
    try:
        sys.stderr.write(f"tokenjuice: {message}\n")
    except (OSError, ValueError):  # stderr closed: a hook's host may do that
        return


def failure(stage: str, error: BaseException) -> None:
    """Tells that `stage` failed, with the place of the error."""
    if not enabled():
        return
    import traceback

    debug(f"{stage} failed: {type(error).__name__}: {error}")
    debug("".join(traceback.format_exception(error)).rstrip())


def result(done: Compressed) -> None:
    """Tells what became of one text."""
    if not enabled():
        return
    seen = done.detection
    debug(f"kind={done.kind.value} by={seen.by if seen else '-'} evidence={seen.evidence if seen else '-'!r}")
    debug(
        f"compressor={done.compressor} rule={done.rule or '-'} reason={done.reason.value}: {done.reason.sentence}"
    )
    if done.detail:
        debug(f"detail: {done.detail}")
    debug(
        f"tokens {done.tokens_before} -> {done.tokens_after}, bytes {done.bytes_before} -> {done.bytes_after}, "
        f"{len(done.omissions)} omissions, {sum(gap.lines for gap in done.omissions)} lines left out"
    )
    debug("ms " + " ".join(f"{name}={took:.2f}" for name, took in done.steps.items()) + f" all={done.ms:.2f}")
