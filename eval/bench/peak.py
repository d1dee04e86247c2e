"""Prints the extra memory, MB, that one call on 10 MB takes at its peak: `python -m eval.bench.peak CASE`.

A process of its own for each case: memory that was once taken is not given back. On Linux the peak is reset
after the input is made, which may take more than the call; elsewhere it is the process's highest.
"""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path

from eval.bench.inputs import CASES, QUIET
from tokenjuice_ml import TokenJuice

_RESET, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


def main() -> None:
    """Makes the input, resets the peak, runs the call."""
    case = CASES[int(sys.argv[1])]
    juice = TokenJuice(QUIET)
    juice.compress(case.make(20_000), **case.hints)
    text = case.make(10_000_000)
    gc.collect()
    try:
        _RESET.write_text("5")
        held = _status("VmRSS")
    except OSError:
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    juice.compress(text, **case.hints)
    peak = _status("VmHWM") if _STATUS.exists() else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = len(text.encode()) / 1e6
    print(f"{size:5.1f} MB in, limit {3 * size + 8:.0f}, took {(peak - held) / 1000:.0f}")


def _status(name: str) -> int:
    """Returns a figure of the process's own status, in kB."""
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1])


if __name__ == "__main__":
    main()
