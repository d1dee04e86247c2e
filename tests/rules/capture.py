"""Runs a command, scrubs what it printed and writes it as a fixture.

    python -m tests.rules.capture git/status busy --version-of "git --version" -- git status

The scrub is recorded here: whoever captures anew gets the same replacements.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import socket
import subprocess
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "rules"


def scrub(text: str, folder: str = "") -> str:
    """Returns `text` without the paths, host, user and registry addresses of the machine."""
    if folder:
        text = text.replace(folder.rstrip("/"), "/srv/app")
    text = text.replace(os.path.expanduser("~"), "/home/dev").replace(socket.gethostname(), "devbox")
    text = re.sub(r"/(?:tmp|work|root)/[\w.-]+(?:/[\w.-]+)*(?=/)", "/srv/app", text)
    text = re.sub(
        r"https?://[\w.-]+(?::\d+)?/(?:[\w./-]*?)(?=simple|pypi|npm|artifactory)",
        "https://registry.example/",
        text,
    )
    return re.sub(r"\b(?:10|172\.(?:1[6-9]|2\d|3[01])|192\.168)(?:\.\d{1,3}){2,3}\b", "192.0.2.10", text)


def run(command: str, folder: str, env: dict[str, str] | None = None) -> tuple[str, int]:
    """Returns what a shell prints for `command`, both streams together, and its exit code."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    code = done.returncode
    return done.stdout.decode("utf-8", "surrogateescape"), code if code >= 0 else 128 - code


def write(rule: str, case: str, text: str, spec: dict[str, object]) -> Path:
    """Writes `<case>.in` and `<case>.json`; what is already in the JSON and not given anew stays."""
    folder = FIXTURES / rule
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case}.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    merged = {"must_keep": [], **before, **spec}
    path.write_text(json.dumps(merged, indent=2, ensure_ascii=False) + "\n", "utf-8")
    path.with_suffix(".in").write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rule")
    parser.add_argument("case")
    parser.add_argument("--version-of", required=True, help="a command that prints the tool's version")
    parser.add_argument("--cwd", default=".")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    command = shlex.join(given.command) if len(given.command) > 1 else given.command[0]
    text, code = run(command, given.cwd)
    version = run(given.version_of, given.cwd)[0].split("\n")[0].strip()
    tool = given.command[0].split()[0]
    spec = {"command": command, "exit_code": code, "captured": {"tool": tool, "version": version}}
    print(write(given.rule, given.case, scrub(text, os.path.abspath(given.cwd)), spec))


if __name__ == "__main__":
    main()
