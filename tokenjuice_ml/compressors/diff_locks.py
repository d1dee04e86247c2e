"""Says what changed in a lock file: ``name old -> new``."""

from __future__ import annotations

import re
from collections.abc import Sequence

LOCKS = frozenset(
    (
        "cargo.lock",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "composer.lock",
        "poetry.lock",
        "gemfile.lock",
        "go.sum",
        "uv.lock",
        "pdm.lock",
        "pipfile.lock",
        "flake.lock",
        "mix.lock",
        "podfile.lock",
        "pubspec.lock",
        "packages.lock.json",
        "bun.lock",
        "deno.lock",
        "gradle.lockfile",
        "package.resolved",
    )
)
_GENERATED_ENDS = (
    ".min.js",
    ".min.css",
    ".map",
    ".pb.go",
    "_pb2.py",
    ".snap",
    ".g.dart",
    "_generated.go",
    ".lock",
)
_GENERATED_PARTS = re.compile("/(?:node_modules|vendor|dist|__snapshots__|third_party)/")


def is_lock(path: str) -> bool:
    """Says whether `path` is a package manager's lock file."""
    return path.rpartition("/")[2].lower() in LOCKS


def is_generated(path: str) -> bool:
    """Says whether `path` is written by a tool and read by none but tools."""
    low = "/" + path.lower()
    return low.endswith(_GENERATED_ENDS) or _GENERATED_PARTS.search(low) is not None


def changes(lines: Sequence[str]) -> list[str]:
    """Returns what the hunk lines of a lock file say, one phrase a package.

    >>> changes([' name = "serde"', '-version = "1.0.1"', '+version = "1.0.2"'])
    ['serde 1.0.1 -> 1.0.2']
    """
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    name = ""
    for line in lines:
        sign, body = line[:1], line[1:].strip().rstrip(",")
        if sign not in " +-" or not body:
            continue
        found = _name_in(body, line[1:])
        if found:
            name = found
        pair = _pair_in(body)
        if pair:
            name, version = pair
        else:
            version = _version_in(body)
        if version and name and sign in "+-":
            (new if sign == "+" else old)[name] = version
    return _phrases(old, new)


def _phrases(old: dict[str, str], new: dict[str, str]) -> list[str]:
    changed = [f"{name} {old[name]} -> {new[name]}" for name in old if name in new and old[name] != new[name]]
    added = [f"+{name} {version}" for name, version in new.items() if name not in old]
    removed = [f"-{name} {version}" for name, version in old.items() if name not in new]
    return changed + added + removed


def _name_in(body: str, raw: str) -> str:
    """Returns the package a line opens, where it does."""
    if body.startswith("name = "):
        return body[7:].strip('"')
    if body.startswith('"name": '):
        return body[8:].strip('"')
    if body.startswith('"') and body.endswith('": {'):
        inner = body[1:-4].rpartition("node_modules/")[2]
        return inner if inner not in ("dependencies", "devDependencies", "packages", "engines", "bin") else ""
    if body.endswith(":") and not raw.startswith((" " * 6, "\t")):
        head = body[:-1].split(",")[0].strip("\"' /")
        at = head.find("@", 1)
        return head[:at] if at > 0 else ""
    return ""


def _pair_in(body: str) -> tuple[str, str] | None:
    """Returns name and version of a line that has both (go.sum, Gemfile.lock, pnpm)."""
    words = body.split()
    if len(words) == 3 and words[2].startswith("h1:"):
        return words[0], words[1].removesuffix("/go.mod")
    if len(words) == 2 and words[1][0] == "(" and words[1][-1] == ")" and words[1][1:2].isdigit():
        return words[0], words[1][1:-1]
    if body.endswith(":") and len(words) == 1:
        head = body[:-1].strip("'\"/").partition("(")[0]
        name, at, version = head.rpartition("@")
        if at and name and version[:1].isdigit():
            return name, version
    return None


def _version_in(body: str) -> str:
    for start in ("version = ", '"version": ', "version: ", "version "):
        if body.startswith(start):
            return body[len(start) :].strip("\"'")
    return ""
