"""Settings: one frozen value, five layers, validated by hand.

Layers, later ones win: defaults < user file < project file < environment < call.
A bad key or value is reported once, with file and key, and ignored; the rest is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from tokenjuice_ml.errors import SettingsError
from tokenjuice_ml.record import Record, field, replace

SECTION = "tokenjuice"
ENV_PREFIX = "TOKENJUICE_"
# Environment names that are not settings but switches of their own.
ENV_SWITCHES = frozenset({"LOG", "RAW", "CONFIG", "DATA", "STATE_DIR", "RUNTIME_DIR"})


def _setting(default: Any, doc: str, *, project: bool = False, **rules: Any) -> Any:
    """Declares a setting.

    Args:
        default: its default.
        doc: one sentence for the table of settings.
        project: True when a project's own file may set it.
        rules: `choices`, `low` (least value) or `high` (greatest).
    """
    return field(default=default, metadata={"doc": doc, "project": project, **rules})


class Settings(Record):
    """All settings of one call. Field names are the names everywhere."""

    router_enabled: bool = _setting(True, "Master switch.", project=True)
    profile: str = _setting(
        "full",
        "full, light (only what loses nothing) or off.",
        project=True,
        choices=("full", "light", "off"),
    )
    min_bytes_to_compress: int = _setting(2048, "Smallest text that is cut, bytes.", project=True, low=0)
    min_bytes_to_compress_log: int = _setting(
        512, "Smallest log or command output that is cut, bytes.", project=True, low=0
    )
    max_inline_tokens: int = _setting(
        2000, "Most tokens a cut log or command output has.", project=True, low=50
    )
    exact_read_tokens: int = _setting(
        2500, "File reads under this many tokens stay exact.", project=True, low=0
    )
    exact: bool = _setting(False, "File reads stay exact whatever their size.", project=True)
    context_before: int = _setting(2, "Lines kept before a signal.", project=True, low=0, high=100)
    context_after: int = _setting(3, "Lines kept after a signal.", project=True, low=0, high=100)
    build_context_before: int = _setting(
        5, "Lines kept before a build failure.", project=True, low=0, high=100
    )
    build_context_after: int = _setting(8, "Lines kept after a build failure.", project=True, low=0, high=100)
    tail_lines: int = _setting(
        60, "Lines at the end looked at for a summary.", project=True, low=0, high=2000
    )
    signal_patterns: tuple[str, ...] = _setting((), "Own words or patterns that must survive.", project=True)
    line_refs: bool = _setting(True, "Errors carry their original line numbers.", project=True)
    stats_header: bool = _setting(False, "A first line with sizes before and after.", project=True)
    semantic_density_threshold: float = _setting(
        0.3, "Under this density the generic fallback runs.", project=True, low=0.0, high=1.0
    )
    json_enabled: bool = _setting(True, "Cut JSON.", project=True)
    diff_enabled: bool = _setting(True, "Cut diffs.", project=True)
    log_enabled: bool = _setting(True, "Cut logs.", project=True)
    search_enabled: bool = _setting(True, "Cut search results.", project=True)
    code_enabled: bool = _setting(True, "Cut source files.", project=True)
    html_enabled: bool = _setting(True, "Cut web pages.", project=True)
    ccr_enabled: bool = _setting(True, "Keep originals of lossy results.")
    ccr_disk_enabled: bool = _setting(False, "Keep originals on disk too.")
    ccr_dir: str = _setting("user", '"user", "workspace" or a path.')
    disk_max_entries: int = _setting(20000, "Most originals on disk.", low=1)
    disk_max_bytes: int = _setting(1 << 30, "Most bytes of originals on disk.", low=1)
    ccr_ttl_secs: int | None = _setting(
        None, "Originals older than this are gone, s; none and 0: never.", low=0
    )
    ccr_min_tokens: int = _setting(500, "Smallest text whose original is kept, tokens.", low=0)
    max_cache_entries: int = _setting(256, "Most originals in memory.", low=1)
    max_cache_bytes: int = _setting(67108864, "Most bytes of originals in memory.", low=1)
    ccr_redis_url: str | None = _setting(None, "Redis or Valkey URL for fleets.")
    lossy_without_ccr: bool = _setting(False, "Allow lossy results with no way back.")
    ml_compression_enabled: bool = _setting(False, "Send plain text to the saliency model.")
    ml_model_id: str = _setting("bundled", "bundled, a folder, or a hub id.")
    ml_target_ratio: float = _setting(
        0.5, "Share of the tokens of plain text to keep.", project=True, low=0.05, high=1.0
    )
    ml_granularity: str = _setting(
        "sentence",
        "Unit of choice in plain text: sentence or span.",
        project=True,
        choices=("sentence", "span"),
    )
    ml_max_input_chars: int = _setting(
        200000, "Longer plain text goes to the native compressor, chars.", low=1
    )
    ml_device: str = _setting("cpu", "cpu or auto.", choices=("cpu", "auto"))
    ml_sidecar_idle_timeout_secs: int = _setting(900, "Idle time until the sidecar exits, s.", low=1)
    ml_timeout_ms: int = _setting(5000, "Longest wait for the sidecar, ms.", low=1)
    ml_cold_start: str = _setting(
        "fallback",
        "fallback (native text while the sidecar starts) or wait.",
        choices=("fallback", "wait"),
    )
    savings_enabled: bool = _setting(True, "Write the savings ledger.")
    redact_secrets: bool = _setting(False, "Mask known secrets before showing and storing.")
    project_rules: str = _setting(
        "trusted",
        "trusted (after `tj rules trust`), off, or always.",
        choices=("trusted", "off", "always"),
    )

    @classmethod
    def load(
        cls,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        problems: list[str] | None = None,
    ) -> Settings:
        """Returns the settings of the user, the project at `cwd` and the environment.

        Args:
            cwd: working directory whose ``.tokenjuice/config.toml`` counts; default the current.
            env: environment; default the process's.
            problems: receives one line for each key that was ignored.
        """
        return load_layers(cwd, env, problems)[0]

    def merged(self, options: Mapping[str, Any]) -> Settings:
        """Returns these settings with `options` on top.

        Raises:
            SettingsError: an unknown key or a bad value.
        """
        return replace(self, **checked(options, "options")) if options else self


FIELDS = {item.name: item for item in Settings.record_fields}
# `granularity` is what people write first; it means the same setting.
ALIASES = {"granularity": "ml_granularity"}
DEFAULTS = Settings()


def checked(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Returns `values` with every key known and every value of the right type.

    Raises:
        SettingsError: names `where` and the first bad key.
    """
    return {_name(key, where): check_value(_name(key, where), value, where) for key, value in values.items()}


def _name(key: str, where: str) -> str:
    name = ALIASES.get(key, key)
    if name not in FIELDS:
        raise SettingsError(f"{where}: unknown setting '{key}' (see `tj config show`)")
    return name


def check_value(name: str, value: Any, where: str) -> Any:
    """Returns `value` as the setting's type.

    Raises:
        SettingsError: wrong type, out of range, or not one of the choices.
    """
    item = FIELDS[name]
    rules, default = item.metadata, item.default
    optional = "None" in str(item.type)
    if value is None and optional:
        return None
    wanted = _type_of(name, default)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if wanted is tuple and isinstance(value, list):
        value = tuple(value)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise SettingsError(f"{where}: '{name}' must be {_words(wanted)}, not {value!r}")
    if isinstance(value, tuple) and not all(isinstance(entry, str) for entry in value):
        raise SettingsError(f"{where}: '{name}' must be a list of strings")
    if "choices" in rules and value not in rules["choices"]:
        raise SettingsError(f"{where}: '{name}' must be one of {', '.join(rules['choices'])}, not {value!r}")
    if "low" in rules and not value >= rules["low"]:
        raise SettingsError(f"{where}: '{name}' must be at least {rules['low']}, not {value!r}")
    if "high" in rules and not value <= rules["high"]:
        raise SettingsError(f"{where}: '{name}' must be at most {rules['high']}, not {value!r}")
    return value


def _type_of(name: str, default: Any) -> type:
    if default is not None:
        return type(default)
    return int if "int" in str(FIELDS[name].type) else str


def _words(wanted: type) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}.get(
        wanted, "a list of strings"
    )


def parse_text(name: str, text: str, where: str) -> Any:
    """Returns the value that `text` (environment, command line) spells for setting `name`.

    Raises:
        SettingsError: the text does not fit the setting.
    """
    name = _name(name, where)
    default = FIELDS[name].default
    wanted = _type_of(name, default)
    word = text.strip().lower()
    if "None" in str(FIELDS[name].type) and word in ("", "none"):
        return None
    if wanted is bool and word in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        return word in ("1", "true", "yes", "on")
    try:
        value: Any = {int: int, float: float}.get(wanted, str)(text)
    except ValueError:
        value = text
    if wanted is tuple:
        value = [part for part in text.split("\n" if "\n" in text else ",") if part]
    return check_value(name, value, where)


def user_config_path(env: Mapping[str, str] | None = None) -> Path:
    """Returns the user's own config file: ``$TOKENJUICE_CONFIG`` or the XDG place."""
    env = os.environ if env is None else env
    if env.get("TOKENJUICE_CONFIG"):
        return Path(env["TOKENJUICE_CONFIG"])
    base = env.get("XDG_CONFIG_HOME") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".config")
    return Path(base) / "tokenjuice" / "config.toml"


def project_config_path(cwd: str | os.PathLike[str] | None = None) -> Path:
    """Returns the project's config file, whether it exists or not."""
    return Path(cwd or os.getcwd()) / ".tokenjuice" / "config.toml"


def load_layers(
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    problems: list[str] | None = None,
) -> tuple[Settings, dict[str, str]]:
    """Returns the settings and, for each key that is not default, where it comes from."""
    env = os.environ if env is None else env
    notes = problems if problems is not None else []
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    user, project = user_config_path(env), project_config_path(cwd)
    for path, is_project in ((user, False), (project, True)):
        for name, value in _from_file(path, is_project, notes).items():
            values[name], origin[name] = value, str(path)
    for name, value in _from_env(env, notes).items():
        values[name], origin[name] = value, f"{ENV_PREFIX}{name.upper()}"
    return (replace(DEFAULTS, **values) if values else DEFAULTS), origin


def _from_file(path: Path, is_project: bool, notes: list[str]) -> dict[str, Any]:
    try:
        stat = path.stat()
    except OSError:
        return {}
    try:
        table = _read_toml(str(path), stat.st_mtime_ns, stat.st_size)
    except (OSError, ValueError) as error:
        notes.append(f"{path}: not read: {error}")
        return {}
    section = table.get(SECTION, {})
    if not isinstance(section, dict):
        notes.append(f"{path}: [{SECTION}] must be a table")
        return {}
    good: dict[str, Any] = {}
    for key, value in section.items():
        try:
            name = _name(key, str(path))
            if is_project and not FIELDS[name].metadata["project"]:
                raise SettingsError(f"{path}: '{key}' belongs to your own config, a project may not set it")
            good[name] = check_value(name, value, str(path))
        except SettingsError as error:
            notes.append(f"{error}; ignored")
    return good


@lru_cache(maxsize=32)
def _read_toml(path: str, mtime_ns: int, size: int) -> dict[str, Any]:
    """Reads a TOML file; the stat values are the cache key."""
    import tomllib  # 10 ms of every start, and most starts have no file

    del mtime_ns, size
    with open(path, "rb") as file:
        return tomllib.load(file)


def _from_env(env: Mapping[str, str], notes: list[str]) -> dict[str, Any]:
    good: dict[str, Any] = {}
    for variable, text in env.items():
        if not variable.startswith(ENV_PREFIX) or variable[len(ENV_PREFIX) :] in ENV_SWITCHES:
            continue
        key = variable[len(ENV_PREFIX) :].lower()
        try:
            name = _name(key, variable)
            good[name] = parse_text(name, text, variable)
        except SettingsError as error:
            notes.append(f"{error}; ignored")
    return good
