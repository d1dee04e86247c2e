"""Failures whose cause is no error line: a warning that stands once, a blocked goroutine, a flaky test."""

from __future__ import annotations

import pytest

from tests.rules.helpers import chosen, run
from tokenjuice_ml.types import ToolOutput


def cut(command: str, text: str, code: int) -> str:
    """Returns the body that the built-in rule of a command makes."""
    output = ToolOutput(text=text, command=command, exit_code=code)
    rule = chosen(output)
    assert rule is not None
    reduction = run(rule, output)
    return text if reduction is None else reduction.text


def compiled(part: int) -> str:
    """Returns what a C compiler says of one file: two warnings as of every other file."""
    name = f"part_{chr(97 + part % 26)}{part}.c"
    return (
        f"cc -Wall -c -o obj/part{part}.o {name}\n{name}: In function ‘go_{part}’:\n"
        f"{name}:4:9: warning: unused variable ‘tmp{part}’ [-Wunused-variable]\n    4 |     int tmp;\n      |         ^~~\n"
        f"{name}:7:5: warning: statement with no effect [-Wunused-value]\n    7 |     a;\n      |     ^\n"
    )


ONCE = "pool.c:12:17: warning: implicit declaration of function ‘grow’ [-Wimplicit-function-declaration]\n"


@pytest.mark.parametrize(
    "verdict",
    [
        "make: *** [Makefile:9: check] Segmentation fault\n",
        "make: *** [Makefile:9: check] Error 139\n",
        "make: *** [Makefile:9: check] Aborted (core dumped)\n",
    ],
)
def test_without_an_error_the_rarest_warnings_are_shown_and_all_counted(verdict: str) -> None:
    text = (
        "".join(map(compiled, range(60))) + ONCE + "".join(map(compiled, range(60, 90))) + "./app\n" + verdict
    )
    body = cut("make", text, 2)
    assert ONCE in body
    assert verdict.strip() in body
    assert body.startswith("[… exit 2; 181 warnings, the rarest kinds shown]\n")
    assert body.count("unused variable") == 1


def test_with_an_error_the_warnings_yield() -> None:
    error = "main.c:3:1: error: unknown type name ‘flaot’\n    3 | flaot x;\n      | ^~~~~\n"
    body = cut(
        "make", "".join(map(compiled, range(60))) + error + "make: *** [Makefile:4: main.o] Error 1\n", 2
    )
    assert "unknown type name" in body
    assert "unused variable" not in body


def stack(number: int, state: str, frames: tuple[str, ...]) -> str:
    """Returns a goroutine as Go prints it: the frames, then who made it."""
    lines = [f"goroutine {number} [{state}]:"]
    for frame in frames:
        own = frame.startswith("example.org")
        path = "/home/dev/spool" if own else "/usr/lib/go-1.22/src/sync"
        lines += [f"{frame}(0xc0000{number:05x}?)", f"\t{path}/{frame.rsplit('.', 1)[1].lower()}.go:31 +0x4b"]
    lines += [
        "created by testing.(*T).Run in goroutine 1",
        "\t/usr/lib/go-1.22/src/testing/testing.go:1742 +0x390",
    ]
    return "\n".join(lines) + "\n\n"


def deadlock(waiting: int = 60) -> str:
    """Returns `go test -v` of a package whose test waits for a lock for ever."""
    logs = "".join(
        f"=== RUN   TestPost/case_{n}\n    post_test.go:20: POST /v2/{n} -> 503 (expected error)\n"
        for n in range(90)
    )
    held = (
        "sync.runtime_SemacquireMutex",
        "sync.(*Mutex).Lock",
        "example.org/spool.(*Box).Seal",
        "example.org/spool.TestSeal",
    )
    stacks = stack(31, "sync.Mutex.Lock", held) + "".join(
        stack(40 + n, "chan receive", ("example.org/spool.(*Box).Loop",)) for n in range(waiting)
    )
    return (
        f"{logs}=== RUN   TestSeal\npanic: test timed out after 9s\n\n{stacks}FAIL\texample.org/spool\t9.013s\n"
        "FAIL\texample.org/depot [build failed]\nFAIL\n"
    )


def test_own_frames_of_a_blocked_goroutine_stay() -> None:
    body = cut("go test -v ./...", deadlock(), 1)
    assert body.startswith("[… exit 1; 1 timed-out test, 1 failed build, 61 waiting goroutines]\n")
    assert "example.org/spool.(*Box).Seal(" in body
    assert "\t/home/dev/spool/testseal.go:31 +0x4b" in body
    assert "panic: test timed out after 9s" in body
    assert "FAIL\texample.org/depot [build failed]" in body


def test_stacks_alike_are_shown_once_and_logs_of_expected_errors_go() -> None:
    body = cut("go test -v ./...", deadlock(), 1)
    assert body.count("example.org/spool.(*Box).Loop(") == 1
    assert body.count("(expected error)") <= 2


@pytest.mark.parametrize("command", ["mvn test", "mvn -B package"])
def test_a_flaky_test_is_shown_with_its_pass(command: str) -> None:
    noise = "".join(f"[INFO] Running org.example.Part{n}Test\n" for n in range(60))
    text = (
        f"[INFO] Scanning for projects...\n{noise}[INFO] Results:\n[INFO] \n[ERROR] Failures: \n"
        "[ERROR]   SumTest.adds:9 expected: <3> but was: <4>\n[INFO] \n[WARNING] Flakes: \n"
        "[WARNING] org.example.WaitTest.waits\n[ERROR]   Run 1: WaitTest.waits:7 too slow by 40 ms\n"
        "[INFO]   Run 2: PASS\n[INFO] \n[ERROR] Tests run: 61, Failures: 1, Errors: 0, Skipped: 0, Flakes: 1\n"
        "[INFO] BUILD FAILURE\n"
    )
    body = cut(command, text, 1)
    for line in ("[WARNING] Flakes: ", "[WARNING] org.example.WaitTest.waits", "[INFO]   Run 2: PASS"):
        assert line in body
    assert "Flakes: 1" in body


def test_the_header_of_a_playbook_counts_what_failed() -> None:
    rows = "".join(f"TASK [step {n}] ****\nok: [web1]\nchanged: [web2]\n" for n in range(40))
    text = (
        f'{rows}TASK [unpack] ****\nfatal: [web2]: FAILED! => {{"msg": "tar: no room"}}\n...ignoring\n'
        'TASK [wait] ****\nfatal: [web2]: FAILED! => {"msg": "Timeout when waiting for 8080"}\n'
        "PLAY RECAP ****\nweb1 : ok=40 changed=0 unreachable=0 failed=0\nweb2 : ok=41 changed=40 failed=1\n"
    )
    assert cut("ansible-playbook site.yml", text, 2).startswith("[… exit 2; 1 failure, 1 ignored, 40 ok")
