"""Rules from three layers: built in < the user's < the project's, whole rule replaced by id.

Built-in files are parsed as JSON at first use and validated one by one when a command needs
them; rules from outside are validated at once, and a bad one is skipped with a warning.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokenjuice_ml.command import program_name
from tokenjuice_ml.errors import RuleError
from tokenjuice_ml.record import Mutable, field
from tokenjuice_ml.resources import data_dir
from tokenjuice_ml.rules import trust
from tokenjuice_ml.rules.schema import FALLBACK_ID, Rule, parse_rule

MAX_RULE_BYTES = 256 * 1024
MAX_RULE_FILES = 2000
LAYERS = ("builtin", "user", "project")


# A built-in document is looked through without reading all of it: its id, and the programs it is for.
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]+)"')
_ARGV0 = re.compile(rb'"argv0"\s*:\s*\[([^\]\\]*)\]')


class Entry:
    """A rule document and, once somebody asked, the rule.

    Attributes:
        raw: the document's bytes; its `data` is read when somebody asks.
        broken: it is no valid rule.
    """

    __slots__ = ("_data", "broken", "id", "layer", "path", "raw", "rule")

    def __init__(
        self, name: str, layer: str, path: str, raw: bytes, data: Mapping[str, Any] | None = None
    ) -> None:
        self.id, self.layer, self.path, self.raw, self._data = name, layer, path, raw, data
        self.rule: Rule | None = None
        self.broken = False

    @property
    def data(self) -> Mapping[str, Any]:
        """The document."""
        if self._data is None:
            self._data = _document(self.raw) or {}
        return self._data

    def programs(self) -> list[str]:
        """Returns the programs that the rule names."""
        if self.layer == "builtin":
            if b'"gitSubcommands"' in self.raw:
                return _programs(self.data["match"])
            found = _ARGV0.search(self.raw)
            return found[1].decode().replace('"', " ").replace(",", " ").split() if found else []
        match = self.data.get("match")
        return _programs(match) if isinstance(match, Mapping) else []


class RuleSet(Mutable):
    """All rules of one place, by id and by program.

    Attributes:
        entries: by id, nearest layer only.
        warnings: what was skipped and why.
        shadowed: (id, layer that lost) pairs.
    """

    entries: dict[str, Entry] = field(factory=dict)
    warnings: list[str] = field(factory=list)
    shadowed: list[tuple[str, str]] = field(factory=list)
    _by_program: dict[str, list[Entry]] | None = None
    _anywhere: list[Entry] = field(factory=list)

    def rule(self, entry: Entry) -> Rule | None:
        """Returns the validated rule of `entry`, or None (with a warning) when it is bad."""
        if entry.rule is None and not entry.broken:
            try:
                entry.rule = parse_rule(entry.data, entry.layer, entry.path, self.warnings)
            except RuleError as error:
                entry.broken = True
                self.warnings.append(f"{error}; rule skipped")
        return entry.rule

    def get(self, rule_id: str) -> Rule | None:
        """Returns the rule with this id."""
        entry = self.entries.get(rule_id)
        return None if entry is None else self.rule(entry)

    def all(self) -> list[Rule]:
        """Returns every usable rule, by id, the fallback last."""
        rules = [rule for entry in self.entries.values() if (rule := self.rule(entry)) is not None]
        return sorted(rules, key=lambda rule: (rule.id == FALLBACK_ID, rule.id))

    def candidates(self, program: str) -> Iterator[Rule]:
        """Yields the rules that may be for `program`: its own, and those that name no program."""
        if self._by_program is None:
            self._index()
        for entry in [*(self._by_program or {}).get(program, ()), *self._anywhere]:
            rule = self.rule(entry)
            if rule is not None:
                yield rule

    def _index(self) -> None:
        by_program: dict[str, list[Entry]] = {}
        self._anywhere = []
        for entry in self.entries.values():
            if entry.id == FALLBACK_ID and entry.layer == "builtin":
                continue
            names = entry.programs()
            for name in names:
                plain = name if name.isalpha() and name.islower() else program_name(name)
                by_program.setdefault(plain, []).append(entry)
            if not names:
                self._anywhere.append(entry)
        self._by_program = by_program


def _programs(match: Mapping[str, Any]) -> list[str]:
    names = match.get("argv0") or []
    found = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return found + (["git"] if match.get("gitSubcommands") else [])


def user_rules_dir() -> Path:
    """Returns the folder of the user's own rules, whether it exists or not."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "tokenjuice" / "rules"


def project_rules_dir(cwd: str | os.PathLike[str] | None = None) -> Path:
    """Returns the folder of a project's rules, whether it exists or not."""
    return Path(cwd or os.getcwd()) / ".tokenjuice" / "rules"


def load(cwd: str | os.PathLike[str] | None = None, project_rules: str = "trusted") -> RuleSet:
    """Returns the rules that hold in `cwd`; cached until a rules folder changes.

    Args:
        cwd: working directory of the command.
        project_rules: ``trusted`` uses a project's rules after `tj rules trust`; ``off`` never,
            ``always`` without asking.
    """
    user = user_rules_dir()
    project = project_rules_dir(cwd)
    stamp = _stamp(project) if project_rules != "off" else ()
    # Folders without rules of their own share one set.
    place = str(project) if stamp else ""
    return _load(str(user), _stamp(user), place, stamp, project_rules == "always")


Stamp = tuple[tuple[str, int, int], ...]


def _stamp(folder: Path) -> Stamp:
    """Returns what changes when a rule file in `folder` changes; () where there is none."""
    if not folder.is_dir():
        return ()
    trusted = (str(trust.trust_file()), *trust.stamp())
    return (*(_file_stamp(path) for path in rule_files(folder)), trusted)


def _file_stamp(path: Path) -> tuple[str, int, int]:
    try:
        stat = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=16)
def _load(user: str, user_stamp: Stamp, project: str, project_stamp: Stamp, trusted: bool) -> RuleSet:
    rules = RuleSet(
        entries={entry.id: Entry(entry.id, entry.layer, entry.path, entry.raw) for entry in builtin_entries()}
    )
    if user_stamp:
        _add_layer(rules, "user", Path(user))
    if project_stamp:
        folder = Path(project)
        if trusted or trust.is_trusted(folder):
            _add_layer(rules, "project", folder)
        elif rule_files(folder):
            rules.warnings.append(f"{folder}: not trusted, not used; run `tj rules trust` there to use them")
    return rules


@lru_cache(maxsize=1)
def builtin_entries() -> tuple[Entry, ...]:
    """Returns the built-in rule documents, not yet validated."""
    root = data_dir("rules")
    found: list[Entry] = []
    for family in sorted(os.scandir(root), key=lambda item: item.name):
        if not family.is_dir() or family.name.startswith((".", "_")):
            continue
        for item in os.scandir(family.path):
            if item.name.endswith(".json"):
                with open(item.path, "rb") as file:
                    raw = file.read()
                if name := _ID.search(raw):
                    found.append(Entry(name[1].decode(), "builtin", item.path, raw))
    return tuple(sorted(found, key=lambda entry: entry.id))


def _document(raw: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def rule_files(root: Path) -> list[Path]:
    """Returns the rule files under `root`, sorted; no links, nothing outside the folder."""
    found: list[Path] = []
    for folder, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            path = Path(folder) / name
            if (
                name.endswith(".json")
                and not name.endswith((".schema.json", ".fixture.json"))
                and not path.is_symlink()
            ):
                found.append(path)
        if len(found) > MAX_RULE_FILES:
            break
    return found[:MAX_RULE_FILES]


def _add_layer(rules: RuleSet, layer: str, root: Path) -> None:
    seen: dict[str, str] = {}
    for path in rule_files(root):
        entry = read_entry(path, layer, rules.warnings)
        if entry is None:
            continue
        if entry.id in seen:
            rules.warnings.append(
                f"{path}: id '{entry.id}' is also in {seen[entry.id]}; the later file is used"
            )
        seen[entry.id] = str(path)
        if entry.id in rules.entries:
            rules.shadowed.append((entry.id, rules.entries[entry.id].layer))
        rules.entries[entry.id] = entry


def read_entry(path: Path, layer: str, warnings: list[str]) -> Entry | None:
    """Returns the validated rule of a file from outside, or None with a warning."""
    try:
        if path.stat().st_size > MAX_RULE_BYTES:
            raise RuleError(f"{path}: larger than {MAX_RULE_BYTES} bytes")
        data = json.loads(path.read_bytes())
        rule = parse_rule(data, layer, str(path), warnings)
    except RuleError as error:
        warnings.append(f"{error}; rule skipped")
    except (OSError, ValueError, RecursionError) as error:
        warnings.append(f"{path}: not readable as JSON: {error}; rule skipped")
    else:
        entry = Entry(rule.id, layer, str(path), b"", data)
        entry.rule = rule
        return entry
    return None
