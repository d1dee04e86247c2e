"""A fact an agent must see, planted in the middle of long output, stays; the noise goes.

The outputs are made after the look of the tools; the exit code of half of them is 0, where nothing
else points at the fact.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.settings import Settings


class Planted(NamedTuple):
    """Noise, the fact that is put into its middle, and what must be seen of it."""

    name: str
    command: str
    exit_code: int | None
    lines: int
    noise: Callable[[int, random.Random], str]
    fact: str
    must: tuple[str, ...]


def steps(n: int, dice: random.Random) -> str:
    return f"[{n:5d}] {dice.choice(['fetch', 'unpack', 'verify', 'copy'])} part-{dice.randrange(9999)} ok in {dice.randrange(90)} ms"


def compiling(n: int, dice: random.Random) -> str:
    return f"   Compiling crate-{n} v0.{dice.randrange(20)}.{dice.randrange(9)}"


def gcc(n: int, dice: random.Random) -> str:
    return f"gcc -O2 -Wall -Iinclude -c src/unit_{n}.c -o obj/unit_{n}.o"


def passed(n: int, dice: random.Random) -> str:
    return f"tests/test_area_{n % 30:02d}.py::test_case_{n:05d} PASSED"


def npm(n: int, dice: random.Random) -> str:
    return (
        f"npm http fetch GET 200 https://registry.example.org/package-{n} {dice.randrange(90)}ms (cache hit)"
    )


def service(n: int, dice: random.Random) -> str:
    return f"2026-03-14T09:{n // 60 % 60:02d}:{n % 60:02d}.{dice.randrange(999):03d}Z INFO  api request id={dice.randrange(10**6)} status=200 took={dice.randrange(90)}ms"


def journal(n: int, dice: random.Random) -> str:
    return f"Mar 14 09:{n // 60 % 60:02d}:{n % 60:02d} node-3 sshd[{dice.randrange(9999)}]: Accepted publickey for deploy from 10.0.0.{n % 250} port {dice.randrange(60000)}"


def maven(n: int, dice: random.Random) -> str:
    return f"[INFO] Downloading from central: org/example/lib-{n}/1.{dice.randrange(30)}/lib-{n}.jar"


def gotest(n: int, dice: random.Random) -> str:
    return f"=== RUN   TestCase{n}\n--- PASS: TestCase{n} (0.0{dice.randrange(9)}s)"


def migrate(n: int, dice: random.Random) -> str:
    return f"applying migration {n:04d}_change_table_{dice.randrange(999)} ... done"


def apt(n: int, dice: random.Random) -> str:
    return f"Unpacking libexample{n}:amd64 (1.{dice.randrange(40)}-{n}) ...\nSetting up libexample{n}:amd64 (1.{dice.randrange(40)}-{n}) ..."


def ansible(n: int, dice: random.Random) -> str:
    return f"TASK [role_{n % 12} : step {n}] ***\nok: [web-{dice.randrange(20):02d}.example.org]"


TRACE = (
    'Traceback (most recent call last):\n  File "/srv/app/worker.py", line 88, in run\n    total = price["net"] * rate\n'
    "KeyError: 'net'"
)
JAVA = (
    "java.lang.IllegalStateException: pool is closed\n\tat org.example.Pool.take(Pool.java:41)\n"
    "\tat org.example.Main.run(Main.java:17)\nCaused by: java.net.ConnectException: Connection refused: db-1:5432\n"
    "\t... 12 more"
)
RUST = (
    "error[E0382]: borrow of moved value: `names`\n  --> src/main.rs:14:20\n   |\n12 |     take(names);\n"
    '   |          ----- value moved here\n14 |     println!("{}", names.len());\n   |                    ^^^^^ value borrowed here after move'
)
GO = "panic: runtime error: index out of range [7] with length 3\n\ngoroutine 19 [running]:\nmain.pick(...)\n\t/src/app/pick.go:27 +0x1d"
NODE = "TypeError: Cannot read properties of undefined (reading 'total')\n    at checkout (/srv/app/src/cart.js:57:19)\n    at async handler (/srv/app/src/index.js:12:3)"

CASES = (
    Planted("python traceback in a job", "./job.sh", 1, 3000, steps, TRACE, ("KeyError: 'net'", "worker.py", "line 88")),
    Planted("python traceback, exit 0", "./job.sh", 0, 3000, steps, TRACE, ("KeyError: 'net'", "worker.py")),
    Planted("java cause chain", "./run.sh", 1, 2000, service, JAVA, ("Connection refused: db-1:5432", "Pool.java:41")),
    Planted("java cause chain in a log", "docker logs app", 0, 2000, service, JAVA, ("Connection refused: db-1:5432",)),
    Planted("rust borrow error", "cargo build", 101, 1500, compiling, RUST, ("E0382", "src/main.rs:14:20", "value moved here")),
    Planted("gcc error", "make -j8", 2, 4000, gcc, "src/unit_9.c:31:5: error: 'limit' undeclared (first use in this function)", ("src/unit_9.c:31:5", "'limit' undeclared")),
    Planted("gcc warning, exit 0", "make", 0, 4000, gcc, "src/unit_9.c:31:5: warning: implicit conversion loses precision [-Wconversion]", ("src/unit_9.c:31:5", "loses precision")),
    Planted("linker error", "make", 2, 1200, gcc, "/usr/bin/ld: obj/main.o: undefined reference to `crypt_init'\ncollect2: error: ld returned 1 exit status", ("undefined reference to `crypt_init'",)),
    Planted("one failing test of 2,000", "pytest -v", 1, 2000, passed, "tests/test_area_07.py::test_total FAILED", ("test_total FAILED",)),
    Planted("go test panic", "go test ./... -v", 1, 900, gotest, GO, ("index out of range [7] with length 3", "pick.go:27")),
    Planted("node exception", "node server.js", 1, 2500, service, NODE, ("reading 'total'", "src/cart.js:57:19")),
    Planted("npm ERESOLVE", "npm install", 1, 1200, npm, "npm ERR! code ERESOLVE\nnpm ERR! Could not resolve dependency:\nnpm ERR! peer react@\"^17.0.0\" from old-widget@2.1.0", ("ERESOLVE", 'peer react@"^17.0.0" from old-widget@2.1.0')),
    Planted("npm vulnerabilities, exit 0", "npm install", 0, 1200, npm, "13 vulnerabilities (4 moderate, 9 high)", ("9 high",)),
    Planted("failing postinstall", "npm ci", 1, 1000, npm, "npm error path /app/node_modules/sharp-native\nnpm error command failed\nnpm error command sh -c node-gyp rebuild", ("sharp-native", "node-gyp rebuild")),
    Planted("maven failure", "mvn -B verify", 1, 3000, maven, "[ERROR] Failed to execute goal compile on project shop: Compilation failure\n[ERROR] /src/Shop.java:[42,17] cannot find symbol", ("Shop.java:[42,17]", "cannot find symbol")),
    Planted("service error line", "kubectl logs api-0", 0, 5000, service, "2026-03-14T09:30:00.000Z ERROR api payment failed order=4711 code=insufficient_funds", ("order=4711", "insufficient_funds")),
    Planted("service fatal in a journal", "journalctl -u shop", 0, 4000, journal, "Mar 14 09:41:07 node-3 kernel: Out of memory: Killed process 4242 (shop-worker) total-vm:8123456kB", ("Killed process 4242 (shop-worker)",)),
    Planted("unit failed in a journal", "journalctl -u shop", 0, 4000, journal, "Mar 14 09:41:09 node-3 systemd[1]: shop.service: Main process exited, code=exited, status=137/n/a", ("status=137",)),
    Planted("migration failure", "./migrate up", 1, 700, migrate, "migration 0412_drop_orders FAILED: ERROR 1451 (23000): Cannot delete or update a parent row", ("0412_drop_orders", "ERROR 1451")),
    Planted("migration skipped, exit 0", "./migrate up", 0, 700, migrate, "WARNING: migration 0412_drop_orders was skipped: lock is held by 10.0.0.9", ("0412_drop_orders was skipped", "10.0.0.9")),
    Planted("apt unmet dependencies", "apt-get install -y shop", 100, 500, apt, "E: Unable to correct problems, you have held broken packages.\nThe following packages have unmet dependencies:\n shop : Depends: libexample9 (>= 2.0)", ("held broken packages", "Depends: libexample9 (>= 2.0)")),
    Planted("dpkg post-install error", "apt-get install -y shop", 100, 500, apt, "dpkg: error processing package shop (--configure):\n installed shop package post-installation script subprocess returned error exit status 1", ("error processing package shop",)),
    Planted("ansible fatal", "ansible-playbook site.yml", 2, 600, ansible, 'fatal: [web-07.example.org]: FAILED! => {"changed": false, "msg": "No space left on device"}', ("web-07.example.org", "No space left on device")),
    Planted("disk full", "./backup.sh", 1, 2500, steps, "tar: /backup/part-88.tar: Cannot write: No space left on device", ("Cannot write: No space left on device",)),
    Planted("segfault", "./simulate", 139, 1800, steps, "Segmentation fault (core dumped)", ("Segmentation fault (core dumped)",)),
    Planted("permission denied, exit 0", "./sync.sh", 0, 1800, steps, "rsync: open \"/etc/shop/key.pem\" failed: Permission denied (13)", ("/etc/shop/key.pem", "Permission denied (13)")),
    Planted("certificate expired", "./deploy.sh", 1, 1500, steps, "x509: certificate has expired or is not yet valid: current time 2026-03-14 is after 2026-03-01", ("certificate has expired", "2026-03-01")),
    Planted("a time-out with its address", "./probe.sh", 1, 1500, steps, "dial tcp 10.1.2.3:6443: i/o timeout", ("10.1.2.3:6443", "i/o timeout")),
    Planted("deprecation that will break, exit 0", "./build.sh", 0, 2200, steps, "DeprecationWarning: pkg_resources will be removed in version 81; pin setuptools<81", ("pkg_resources will be removed", "setuptools<81")),
    Planted("a German error", "./lauf.sh", 1, 1600, steps, "FEHLER: Verbindung zur Datenbank orders fehlgeschlagen (Zeitüberschreitung nach 30 s)", ("Verbindung zur Datenbank orders fehlgeschlagen",)),
    Planted("a Chinese error", "./run.sh", 1, 1600, steps, "错误: 无法连接到数据库 orders: 连接被拒绝", ("无法连接到数据库 orders",)),
    Planted("assertion in C", "./unit", 134, 900, steps, "unit: src/ring.c:77: ring_push: Assertion `head != tail' failed.", ("src/ring.c:77", "Assertion `head != tail' failed")),
    Planted("exit line of a script", "./ci.sh", 3, 2600, steps, "make[2]: *** [Makefile:88: integration] Error 3", ("[Makefile:88: integration] Error 3",)),
    Planted("docker build step", "docker build .", 1, 900, lambda n, dice: f"#{n % 14 + 4} {n / 10:.1f} Get:{n} http://deb.example.org bookworm/main pkg-{n}", "#12 ERROR: process \"/bin/sh -c pip install -r requirements.txt\" did not complete successfully: exit code: 1", ("pip install -r requirements.txt", "exit code: 1")),
    Planted("TypeScript error", "npx tsc -p .", 2, 600, lambda n, dice: f"Files: {n} Lines: {dice.randrange(9999)} checked", "src/cart/total.ts(42,7): error TS2322: Type 'string' is not assignable to type 'number'.", ("src/cart/total.ts(42,7)", "TS2322")),
    Planted("user's own word", "./job.sh", 0, 2000, steps, "step 7 frobnicated the quux at 0x1f", ("frobnicated the quux at 0x1f",)),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_planted_fact_is_seen(case):
    dice = random.Random(case.name)
    rows = [case.noise(number, dice) for number in range(case.lines)]
    rows.insert(case.lines // 2, case.fact)
    options = {"signal_patterns": ["frobnicated"]} if "own word" in case.name else {}
    juice = TokenJuice(Settings(savings_enabled=False))
    result = juice.compress("\n".join(rows), command=case.command, exit_code=case.exit_code, options=options)
    for word in case.must:
        assert word in result.text
    assert result.tokens_after <= 0.2 * result.tokens_before
    assert result.token is not None


def test_there_are_enough_of_both_faces():
    assert len(CASES) >= 30
    assert sum(case.exit_code == 0 for case in CASES) >= 10
    assert min(case.lines for case in CASES) >= 50
    assert max(case.lines for case in CASES) >= 5000
