"""``tj config show|get|set|path``: each setting, its value and where it comes from."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from tokenjuice_ml.cli import common
from tokenjuice_ml.errors import SettingsError
from tokenjuice_ml.settings import (
    ALIASES,
    DEFAULTS,
    FIELDS,
    SECTION,
    load_layers,
    parse_text,
    project_config_path,
    user_config_path,
)


def run(argv: list[str]) -> int:
    """Shows or changes settings; `set` writes the user's file, with ``--project`` the project's."""
    parser = common.parser("config", "Settings: defaults < user file < project file < environment < call.")
    parser.add_argument("what", nargs="?", default="show", choices=("show", "get", "set", "path", "docs"))
    parser.add_argument("key", nargs="?", help="setting")
    parser.add_argument("value", nargs="?", help="new value")
    parser.add_argument("--project", action="store_true", help="the project's file instead of your own")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_intermixed_args(argv)
    path = project_config_path() if args.project else user_config_path()
    if args.what == "path":
        common.write_text(str(path))
        return 0
    if args.what == "docs":
        from tokenjuice_ml.cli.config_docs import markdown

        common.write_text(markdown())
        return 0
    if args.what == "set":
        return _set(path, args.key, args.value, args.project)
    return _show(args.key if args.what == "get" else None, args.json)


def _show(key: str | None, as_json: bool) -> int:
    problems: list[str] = []
    settings, origin = load_layers(problems=problems)
    for problem in problems:
        sys.stderr.write(f"tj: {problem}\n")
    names = [_known(key)] if key else list(FIELDS)
    if as_json:
        common.write_json(
            {
                name: {
                    "value": without_password(getattr(settings, name)),
                    "from": origin.get(name, "default"),
                }
                for name in names
            }
        )
    elif key:
        common.write_text(spell(getattr(settings, names[0])))
    else:
        for name in names:
            value = spell(without_password(getattr(settings, name)))
            common.write_text(f"{name:30s} {value:14s} {origin.get(name, 'default')}")
    return 0


def _set(path: Path, key: str | None, value: str | None, project: bool) -> int:
    if not key or value is None:
        raise SettingsError("usage: tj config set KEY VALUE")
    name = _known(key)
    if project and not FIELDS[name].metadata["project"]:
        raise SettingsError(f"'{name}' belongs to your own config, a project may not set it")
    parsed = parse_text(name, value, "set")
    _write(path, name, parsed)
    common.write_text(f"{name} = {spell(parsed)}  ({path})")
    if name == "ml_model_id":
        from tokenjuice_ml.saliency.launch import missing

        problem = missing(DEFAULTS.merged({name: parsed}))
        if problem:
            sys.stderr.write(f"tj config: written, but as things are: {problem}\n")
    return 0


def _known(key: str) -> str:
    name = ALIASES.get(key, key)
    if name not in FIELDS:
        raise SettingsError(f"unknown setting '{key}'; `tj config show` lists them")
    return name


def _write(path: Path, name: str, value: Any) -> None:
    """Changes one key and leaves every other line, comments included, as it is."""
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    entry = None if value is None else f"{name} = {spell(value)}"
    start = next((at for at, line in enumerate(lines) if line.strip() == f"[{SECTION}]"), None)
    if start is None:
        lines = [*lines, f"[{SECTION}]"] if any(lines) else [f"[{SECTION}]"]
        start = len(lines) - 1
    end = next((at for at in range(start + 1, len(lines)) if lines[at].startswith("[")), len(lines))
    old = [at for at in range(start + 1, end) if lines[at].split("=")[0].strip() == name]
    kept = [line for at, line in enumerate(lines) if at not in old]
    if entry is not None:
        kept.insert(old[0] if old else start + 1, entry)
    text = "\n".join(kept).rstrip("\n") + "\n"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not changed, it would not be valid TOML: {error}") from None
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)


def without_password(value: Any) -> Any:
    """Returns a URL's password masked: what is shown here ends in terminals, logs and contexts."""
    if not isinstance(value, str) or "://" not in value:
        return value
    from tokenjuice_ml.redact import redact

    return redact(value).text


def spell(value: Any) -> str:
    """Returns `value` as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
