"""The table of reductions: what share of an output's tokens goes, and whether the cause stayed.

    python -m eval.reductions            prints the table in Markdown
    python -m eval.reductions --check    exit code 1 when a target is missed or a fact is lost

Real tools run where this machine has them (git, pytest); the rest are outputs made after the
tools' documented formats. Every share counts the footer that leads back to the original.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fixtures.generators import builds, containers, dotnet_apple
from tokenjuice_ml import Compressed, compress

TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Sample:
    """One output with what is promised about it.

    Attributes:
        what: the row's name.
        command: the command that printed it.
        exit_code: its exit status.
        text: the output.
        facts: strings that must be left.
        target: least share of tokens removed, 0-1.
    """

    what: str
    command: str
    exit_code: int
    text: str
    facts: tuple[str, ...]
    target: float


def dotnet() -> Sample:
    """A solution with 140 warnings and two errors."""
    facts = ("OrderService.cs(88,31): error CS0029", "taxRate", "2 Error(s)")
    return Sample(
        "dotnet build, 2 errors among 140 warnings", "dotnet build", 1, dotnet_apple.build(), facts, 0.95
    )


def maven() -> Sample:
    """Forty modules, one of them does not compile."""
    facts = ("Order.java:[41,17] cannot find symbol", "taxRate(com.acme.Region)", "BUILD FAILURE")
    return Sample(
        "mvn package, 1 error in 40 modules", "mvn -B package", 1, builds.maven_build(), facts, 0.95
    )


def pytest_suite() -> Sample:
    """A real run: 4,000 cases, 13 of them fail."""
    with tempfile.TemporaryDirectory() as name:
        builds.pytest_project(Path(name))
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-p", "no:randomly"]
        text, code = _run(command, name)
    facts = ("13 failed, 3987 passed", "KeyError: 'amount'", "ValueError: not enough values to unpack")
    return Sample("pytest -v, 13 failures in 4,000 cases", "pytest -v", code, text, facts, 0.97)


def npm() -> Sample:
    """A webpack application with one type error."""
    facts = (
        "ERROR in ./src/pages/Checkout.tsx:88:31",
        "TS2345",
        "> 88 |   return addTax(total.text);",
        "compiled with 1 error",
    )
    return Sample("npm run build, 1 error", "npm run build", 1, builds.npm_build(), facts, 0.98)


def docker() -> Sample:
    """120 containers, three of them not well."""
    facts = ("Exited (137) 4 minutes ago", "Restarting (1)", "(unhealthy)")
    return Sample("docker ps -a, 120 containers", "docker ps -a", 0, containers.ps(120), facts, 0.83)


def git_status() -> Sample:
    """A real repository with 400 changes: modified, deleted, untracked."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        paths = [
            f"packages/{builds.word_of(at)}-service/src/main/{builds.word_of(at * 5)}/part{at:03d}.py"
            for at in range(370)
        ]
        _repository(root, dict.fromkeys(paths, "value = 1\n"))
        for at, path in enumerate(paths):
            if at % 10 == 9:
                (root / path).unlink()
            else:
                (root / path).write_text("value = 2\n", "utf-8")
        for at in range(30):
            note = root / f"notes/{builds.word_of(at)}-{at}.md"
            note.parent.mkdir(exist_ok=True)
            note.write_text("new\n", "utf-8")
        text, code = _run(["git", "status"], name)
    facts = ("packages/", "notes/")
    return Sample("git status, 400 changes", "git status", code, text, facts, 0.82)


def curl() -> Sample:
    """A page of a handbook with its navigation, styles and scripts."""
    facts = ("The tide gate closes at 3.20 m and opens again at 2.85 m.",)
    return Sample(
        "curl of an HTML page", "curl -s https://shop.example.org/handbook", 0, builds.web_page(), facts, 0.85
    )


def git_diff() -> Sample:
    """A real diff of about 400 KB; one line of it is asked for by nobody and must not be made up."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        lines = [f"{builds.word_of(at)}_{at} = compute({at}, '{builds.word_of(at * 7)}')" for at in range(90)]
        before = {f"pkg/{builds.word_of(at)}_{at}.py": "\n".join(lines) + "\n" for at in range(130)}
        _repository(root, before)
        for at, path in enumerate(before):
            changed = [
                line.replace("compute", "evaluate") if row % 4 == at % 4 else line
                for row, line in enumerate(lines)
            ]
            (root / path).write_text("\n".join(changed) + "\n", "utf-8")
        text, code = _run(["git", "diff"], name)
    return Sample(
        f"git diff, {len(text) // 1000} KB", "git diff", code, text, ("130 files", "compute → evaluate"), 0.0
    )


SAMPLES: tuple[Callable[[], Sample], ...] = (
    dotnet,
    maven,
    pytest_suite,
    npm,
    docker,
    git_status,
    curl,
    git_diff,
)


def _repository(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    _git(root, "init", "-q")
    _git(root, "add", ".")
    _git(root, "-c", "user.name=dev", "-c", "user.email=dev@example.org", "commit", "-q", "-m", "First")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, timeout=TIMEOUT_S)


def _run(command: list[str], folder: str) -> tuple[str, int]:
    """Returns what a command prints, both streams, and its exit code."""
    environment = {
        **os.environ,
        "NO_COLOR": "1",
        "PYTEST_ADDOPTS": "",
        "GIT_PAGER": "cat",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace").replace(folder, "/home/dev/app"), done.returncode


def measure(sample: Sample) -> tuple[Compressed, float, list[str]]:
    """Returns the result, the share of tokens removed and the facts that were lost."""
    result = compress(sample.text, tool="exec", command=sample.command, exit_code=sample.exit_code)
    share = 1 - result.tokens_after / max(1, result.tokens_before)
    return result, share, [fact for fact in sample.facts if fact not in result.text]


def rows(
    samples: tuple[Callable[[], Sample], ...] = SAMPLES,
) -> Iterator[tuple[Sample, Compressed, float, list[str]]]:
    """Yields each sample with its measurement."""
    for make in samples:
        sample = make()
        yield (sample, *measure(sample))


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument(
        "--check", action="store_true", help="exit code 1 when a target is missed or a fact is lost"
    )
    wanted = parser.parse_args()
    print(
        "| output | rule | tokens before | after | removed | promised | cause kept |\n|---|---|---|---|---|---|---|"
    )
    before = after = 0
    failed = False
    for sample, result, share, lost in rows():
        before, after = before + result.tokens_before, after + result.tokens_after
        missed = share < sample.target or bool(lost)
        failed = failed or missed
        target = f">= {sample.target:.0%}" if sample.target else "-"
        kept = f"lost: {', '.join(lost)}" if lost else "yes"
        by = result.rule or result.compressor
        print(
            f"| {sample.what} | {by} | {result.tokens_before:,} | {result.tokens_after:,} | **{share:.1%}** | {target} | {kept} |"
        )
    print(f"| **total** | | {before:,} | {after:,} | **{1 - after / max(1, before):.1%}** | | |")
    return int(wanted.check and failed)


if __name__ == "__main__":
    sys.exit(main())
