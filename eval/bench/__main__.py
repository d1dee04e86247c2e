"""`python -m eval.bench`: prints what the budgets of the design say, measured now.

All times are CPU milliseconds of one warm library call (median), since wall time on a shared
machine measures the neighbours. Peers run in the same run when TOKENJUICE_PEERS names the folder
that `eval/peers/setup.sh` made.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from eval.bench.inputs import CASES, QUIET, Case
from tokenjuice_ml import TokenJuice, tokens

HERE = Path(__file__).resolve().parent
SIZES = (10_000, 100_000, 1_000_000, 10_000_000, 50_000_000)


def cpu_ms(work: Any, rounds: int) -> float:
    """Returns the median CPU ms of `rounds` runs of `work`, one warm-up before."""
    work()
    times = []
    for _ in range(rounds):
        tokens.forget()
        start = time.process_time()
        work()
        times.append((time.process_time() - start) * 1000)
    return median(times)


def one_call(juice: TokenJuice, case: Case, size: int, rounds: int) -> tuple[float, int, int]:
    """Returns CPU ms, and tokens before and after, of one case at one size."""
    text = case.make(size)
    result = juice.compress(text, **case.hints)
    return (
        cpu_ms(lambda: juice.compress(text, **case.hints), rounds),
        result.tokens_before,
        result.tokens_after,
    )


def peers(folder: Path, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Runs the peers that are installed in `folder` over the cases that have a command."""
    cases = [
        {
            "text": case.make(100_000),
            "rounds": rounds,
            "command": case.hints.get("command", ""),
            "exit_code": case.hints.get("exit_code", 0),
        }
        for case in CASES
    ]
    runs = {
        "npm tokenjuice": [
            str(folder / "node_modules/.bin/node"),
            str(HERE.parent / "peers/tokenjuice_node.mjs"),
            str(folder),
        ],
        "tokenjuice-py": [str(folder / "venv/bin/python"), str(HERE.parent / "peers/tokenjuice_py.py")],
    }
    answers = {}
    for name, command in runs.items():
        try:
            done = subprocess.run(
                command, input=json.dumps(cases), capture_output=True, text=True, timeout=600, check=True
            )
            answers[name] = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            print(f"  {name}: not run ({error})", file=sys.stderr)
    return answers


def table_of_calls(juice: TokenJuice, folder: Path | None, rounds: int) -> None:
    """Prints CPU ms at 100 KB beside the budgets and the peers."""
    others = peers(folder, max(3, rounds // 3)) if folder else {}
    print(
        f"\n100 KB, one warm call, CPU ms      ours  budget  saved{''.join(f'  {name:>16s}' for name in others)}"
    )
    for at, case in enumerate(CASES):
        spent, before, after = one_call(juice, case, 100_000, rounds)
        row = f"  {case.name:28s} {spent:8.2f} {case.budget_ms:7.0f}  {100 * (1 - after / before):4.0f}%"
        for answers in others.values():
            theirs = answers[at]["ms"]
            row += f"  {theirs:8.1f} ({theirs / spent:4.1f}x)"
        print(row)


def table_of_growth(juice: TokenJuice, largest: int) -> None:
    """Prints CPU ns per byte from 10 KB to 50 MB: flat means no quadratic step."""
    sizes = [size for size in SIZES if size <= largest]
    print(f"\nCPU ns per byte      {''.join(f'{size // 1000:>9,d}K' for size in sizes)}")
    odd = (
        Case("1 MB single line", lambda size: "word " * (size // 5), {"command": "./x", "exit_code": 1}, 0),
        Case("empty lines", lambda size: "\n" * size, {"command": "./x", "exit_code": 1}, 0),
        Case(
            "ESC sequences",
            lambda size: "\x1b[31mx\x1b[0m" * (size // 10),
            {"command": "./x", "exit_code": 1},
            0,
        ),
    )
    for case in (*CASES, *odd):
        cells = []
        for size in sizes:
            text = case.make(size)
            start = time.process_time()
            juice.compress(text, **case.hints)
            cells.append(f"{(time.process_time() - start) * 1e9 / max(1, len(text)):10.0f}")
        print(f"  {case.name:18s} {''.join(cells)}", flush=True)


def table_of_processes() -> None:
    """Prints the CPU of whole processes and of a cold rule load."""
    text = CASES[2].make(100_000).encode()
    print("\nwhole process, CPU ms (100 KB on stdin)")
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "tj version": [sys.executable, "-m", "tokenjuice_ml.cli.main", "version"],
        "tj reduce (pytest)": [
            sys.executable,
            "-m",
            "tokenjuice_ml.cli.main",
            "reduce",
            "--command",
            "pytest -v",
            "--exit-code",
            "1",
        ],
        "all rules, cold": [sys.executable, "-c", "from tokenjuice_ml.rules import load; load.load().all()"],
    }
    for name, command in commands.items():
        print(f"  {name:28s} {median(_child_ms(command, text) for _ in range(9)):8.1f}")
    code = (
        "import time\nfrom tokenjuice_ml.rules import load\nstart = time.process_time()\n"
        "rules = load.load()\nrules.candidates('git')\nmiddle = time.process_time()\ncount = len(rules.all())\n"
        "print(f'  rule index {(middle - start) * 1000:.1f} ms, all {count} rules parsed {(time.process_time() - start) * 1000:.1f} ms')"
    )
    print(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout,
        end="",
    )


def _child_ms(command: list[str], data: bytes) -> float:
    # An installed package has its byte code beside it.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=data, stdout=subprocess.DEVNULL, check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def table_of_memory() -> None:
    """Prints the peak extra memory of one call on 10 MB, each in a process of its own."""
    print("\npeak extra memory of one call on 10 MB (limit 3 x input + 8 MB)")
    for at, case in enumerate(CASES):
        command = [sys.executable, "-m", "eval.bench.peak", str(at)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(f"  {case.name:28s} {done.stdout.strip() or 'failed'} MB", flush=True)


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument(
        "--largest", type=int, default=SIZES[-1], help="largest input of the growth table, bytes"
    )
    parser.add_argument("--only", choices=("calls", "growth", "processes", "memory", "store"))
    args = parser.parse_args()
    folder = Path(os.environ["TOKENJUICE_PEERS"]) if os.environ.get("TOKENJUICE_PEERS") else None
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    juice = TokenJuice(QUIET)
    if args.only in (None, "calls"):
        table_of_calls(juice, folder, args.rounds)
    if args.only in (None, "growth"):
        table_of_growth(juice, args.largest)
    if args.only in (None, "processes"):
        table_of_processes()
    if args.only in (None, "memory"):
        table_of_memory()
    if args.only in (None, "store"):
        from eval.bench.store import table_of_store

        table_of_store()


if __name__ == "__main__":
    main()
