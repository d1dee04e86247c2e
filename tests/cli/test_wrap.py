"""`tj wrap`: the command runs as if we were not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

TJ = [sys.executable, "-m", "tokenjuice_ml.cli.main"]


def wrap(*words: str, **more) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*TJ, "wrap", *words], capture_output=True, timeout=120, **more)


def alive(pid: int) -> bool:
    """A process that nobody reaped yet is dead all the same."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.mark.parametrize("code", [0, 1, 2, 77, 255])
def test_exit_codes_pass_through(code):
    assert wrap("--", "sh", "-c", f"exit {code}").returncode == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGHUP])
def test_a_killed_child_is_128_plus_its_signal(number):
    if number != signal.SIGKILL and signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("whoever started the tests had this signal ignored, and children inherit that")
    done = wrap("--", "sh", "-c", f"kill -{int(number)} $$")
    assert done.returncode == 128 + number
    assert signal.Signals(number).name in done.stderr.decode()


@pytest.mark.parametrize(("command", "code"), [("/no/such/program", 127), ("/etc/hostname", 126)])
def test_what_cannot_run_is_told_as_shells_do(command, code):
    assert wrap("--", command).returncode == code


def test_small_output_comes_byte_for_byte_and_stderr_in_order():
    done = wrap("--", "sh", "-c", r"printf 'a\377\000\r\n'; echo b >&2; printf c")
    assert done.stdout == b"a\xff\x00\r\nb\nc"


def test_stdin_goes_through():
    assert wrap("--", "cat", input=b"through\n").stdout == b"through\n"


def test_no_shell_touches_the_arguments():
    assert wrap("--", "printf", "%s|", "a b", "$HOME", "*").stdout == b"a b|$HOME|*|"


def test_empty_output_stays_empty():
    done = wrap("--", "true")
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)


FAILING = (
    "import sys\n"
    "for n in range(3000): print(f'step {n} of the long build went well')\n"
    "print('src/app.c:42:7: error: expected ; before return')\n"
    "for n in range(3000): print(f'step {n} of the second part went well')\n"
    "sys.exit(2)"
)


def test_long_output_is_cut_with_a_way_back():
    done = wrap("--json", "--", *python(FAILING))
    answer = json.loads(done.stdout)
    assert done.returncode == 2
    assert answer["exit_code"] == 2
    assert "src/app.c:42:7: error: expected ; before return" in answer["text"]
    assert answer["tokens_after"] < answer["tokens_before"] * 0.2
    back = subprocess.run([*TJ, "retrieve", answer["token"]], capture_output=True, check=True)
    assert back.stdout == subprocess.run(python(FAILING), capture_output=True).stdout


@pytest.mark.parametrize("how", ["flag", "environment"])
def test_raw_changes_nothing(how):
    flags = ["--raw"] if how == "flag" else []
    env = {**os.environ, "TOKENJUICE_RAW": "1"} if how == "environment" else None
    done = wrap(*flags, "--", *python(FAILING), env=env)
    assert done.stdout == subprocess.run(python(FAILING), capture_output=True).stdout
    assert done.returncode == 2


def test_tee_streams_the_raw_output_to_stderr():
    done = wrap("--tee", "--", *python(FAILING))
    assert done.stderr.count(b"\n") == 6001
    assert done.stdout.count(b"\n") < 600


def test_the_time_limit_ends_grandchildren_and_shows_what_there_was():
    start = time.monotonic()
    done = wrap("--timeout", "1", "--", "sh", "-c", "echo before; sleep 300 & echo $!; sleep 300")
    assert time.monotonic() - start < 20
    assert done.returncode == 124
    rows = done.stdout.decode().split()
    assert rows[0] == "before"
    time.sleep(0.2)
    assert not alive(int(rows[1]))


def test_a_daemon_that_holds_the_pipe_does_not_hold_us():
    start = time.monotonic()
    done = wrap("--", "sh", "-c", "echo up; sleep 30 & echo $! >&2")
    assert done.stdout.startswith(b"up\n")
    assert time.monotonic() - start < 15
    os.kill(int(done.stdout.split()[1]), signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_child_and_partial_output_is_shown(number):
    code = (
        "import signal, sys, time\n"
        "def stop(n, f): print('child saw', n, flush=True); sys.exit(9)\n"
        f"signal.signal({int(number)}, stop); print('ready', flush=True); print('ready', file=open(sys.argv[1], 'w'))\n"
        "time.sleep(60)"
    )
    flag = os.path.join(os.environ["HOME"], "flag")
    child = subprocess.Popen(
        [*TJ, "wrap", "--", sys.executable, "-c", code, flag],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while not os.path.exists(flag) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)
    child.send_signal(number)
    out, _ = child.communicate(timeout=30)
    assert out == f"ready\nchild saw {int(number)}\n".encode()
    assert child.returncode == 9


@pytest.mark.slow
def test_an_output_larger_than_memory_is_spooled_digested_and_kept():
    """60 MB here; the bench does 500 MB. The error sits in the middle, far from head and tail."""
    code = (
        "import sys\n"
        "block = ''.join(f'request {n} served in 12 ms\\n' for n in range(20000))\n"
        "for _ in range(50): sys.stdout.write(block)\n"
        "print('ERROR worker 7: lost connection to db-primary:5432')\n"
        "for _ in range(50): sys.stdout.write(block)\n"
        "sys.exit(1)"
    )
    watched = (
        "import resource, subprocess, sys, json\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)\n"
        "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(json.dumps([done.returncode, peak, done.stdout.decode()]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", watched, *TJ, "wrap", "--json", "--", *python(code)],
        capture_output=True,
        check=True,
        timeout=300,
    )
    returncode, peak_kb, out = json.loads(done.stdout)
    answer = json.loads(out)
    assert returncode == 1
    assert "ERROR worker 7: lost connection to db-primary:5432" in answer["text"]
    assert peak_kb < 100_000
    assert answer["bytes_before"] > 55_000_000
    line = 20000 * 50 + 1
    back = subprocess.run(
        [*TJ, "retrieve", answer["token"], "--lines", f"{line}-{line}"], capture_output=True, check=True
    )
    assert back.stdout == b"ERROR worker 7: lost connection to db-primary:5432\n"
