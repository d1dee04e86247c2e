"""What a rule is, and reading one from JSON. Every mistake names the field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tokenjuice_ml.errors import RuleError
from tokenjuice_ml.record import Record, field
from tokenjuice_ml.rules.patterns import Pattern

DELEGATES = ("auto", "diff", "search", "log", "json", "html", "code", "table", "generic")
FORMATTERS = ("git-status", "gh")
DEDUPES = ("count", "similar", "off")
PREFERENCES = ("ends", "first", "largest")
_T = TypeVar("_T")


class Window(Record):
    """Lines kept at both ends."""

    head: int
    tail: int


class Match(Record):
    """What a rule is for; every part that is set must hold."""

    argv0: frozenset[str] = frozenset()
    verbs: tuple[tuple[str, ...], ...] = ()
    flags: tuple[tuple[str, ...], ...] = ()
    not_flags: tuple[str, ...] = ()
    argv_includes: tuple[tuple[str, ...], ...] = ()
    argv_includes_any: tuple[tuple[str, ...], ...] = ()
    command_includes: tuple[str, ...] = ()
    command_includes_any: tuple[str, ...] = ()
    command_regex: Pattern | None = None
    tool_names: frozenset[str] = frozenset()
    exit_codes: frozenset[int] = frozenset()
    output_regex: Pattern | None = None
    help: bool = False


class Block(Record):
    """A run of lines that only makes sense together."""

    start: Pattern
    end: Pattern | None = None
    end_before: Pattern | None = None
    while_: Pattern | None = None
    skip: tuple[Pattern, ...] = ()
    before: int = 0
    after: int = 0
    max_lines: int = 60
    on_failure_only: bool = False
    minor: bool = False
    skip_deeper: bool = False
    alike_once: bool = False
    name: str = "block"


class Counter(Record):
    """Something counted over all lines."""

    name: str
    pattern: Pattern
    minus: Pattern | None = None


class Failures(Record):
    """How failing tests are told apart; each pattern's first group is the name, the module, the exception.

    `raised` is sought from a test's line up to the next test's: the first that matches, or the `last`.
    """

    test: Pattern
    home: Pattern | None = None
    raised: Pattern | None = None
    last: bool = False


class OutputMatch(Record):
    """A line that says it all, on success only."""

    pattern: Pattern
    message: str
    unless: Pattern | None = None


class Table(Record):
    """How a column tool's output is cut."""

    unhealthy: Pattern | None = None
    healthy: Pattern | None = None
    max_rows: int = 12
    count_by: str = ""
    header: int = 1


class Rule(Record):
    """One rule, ready to use. Field meanings: `rules/README.md`."""

    id: str
    family: str
    match: Match = field(factory=Match)
    description: str = ""
    priority: float = 0.0
    layer: str = "builtin"
    path: str = ""
    strip_ansi: bool = True
    pretty_json: bool = False
    dedupe: str = "count"
    skip: tuple[Pattern, ...] = ()
    keep: tuple[Pattern, ...] = ()
    minor: tuple[Pattern, ...] = ()
    summary: tuple[Pattern, ...] = ()
    headings: tuple[Pattern, ...] = ()
    tally: Pattern | None = None
    per_kind: int = 0
    records: Pattern | None = None
    blocks: tuple[Block, ...] = ()
    context_before: int = 0
    context_after: int = 0
    signals: bool = True
    summarize: Window = Window(6, 6)
    failure: Window = Window(6, 12)
    window_on_success: Window | None = None
    counters: tuple[Counter, ...] = ()
    failures: Failures | None = None
    output_matches: tuple[OutputMatch, ...] = ()
    on_empty: str = ""
    prefer: str = "ends"
    odd: bool = False
    exact: bool = False
    delegate: str = ""
    formatter: str = ""
    table: Table | None = None


FALLBACK_ID = "generic/fallback"

_RULE_KEYS = frozenset(
    "$schema id family description priority match ignoreCase transforms filters summaryPatterns keepBlocks context"
    " signals summarize failure windowOnSuccess counters counterSource outputMatches matchOutput onEmpty dedupe"
    " delegate formatter table prefer odd exact headings tally perKind records failures".split()
)
_MATCH_KEYS = frozenset(
    "argv0 verbs flags notFlags gitSubcommands argvIncludes argvIncludesAny commandIncludes commandIncludesAny"
    " toolNames commandRegex exitCodes outputRegex help".split()
)
_BLOCK_KEYS = frozenset(
    "name start end endBefore while skip before after maxLines onFailureOnly minor skipDeeper alikeOnce".split()
)


class _Fields:
    """Reads typed fields of one JSON object; errors carry the path of the field."""

    def __init__(self, data: Any, where: str, known: frozenset[str] | None = None) -> None:
        if not isinstance(data, Mapping):
            raise RuleError(f"'{where}' must be an object")
        self.data = data
        self.where = where
        unknown = sorted(set(data) - known) if known is not None else []
        if unknown:
            raise RuleError(f"'{self.name(str(unknown[0]))}' is not a known field")

    def name(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def take(self, key: str, kind: type[_T], default: _T) -> _T:
        value = self.data.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise RuleError(f"'{self.name(key)}' must be {_WORDS[kind]}, not {value!r}")
        if "\0" in str(value):
            raise RuleError(f"'{self.name(key)}' holds a NUL character")
        return value

    def count(self, key: str, default: int) -> int:
        value = self.take(key, int, default)
        if value < 0:
            raise RuleError(f"'{self.name(key)}' must not be negative")
        return value

    def required(self, key: str) -> str:
        value = self.take(key, str, "")
        if not value:
            raise RuleError(f"'{self.name(key)}' is missing or empty")
        return value

    def items(self, key: str, build: Callable[[Any, str], _T]) -> tuple[_T, ...]:
        values = self.data.get(key)
        if values is None:
            return ()
        if not isinstance(values, list):
            raise RuleError(f"'{self.name(key)}' must be a list")
        return tuple(build(value, f"{self.name(key)}[{at}]") for at, value in enumerate(values))

    def strings(self, key: str) -> tuple[str, ...]:
        return self.items(key, _string)

    def window(self, key: str, default: Window) -> Window:
        if self.data.get(key) is None:
            return default
        inner = _Fields(self.data[key], self.name(key))
        return Window(inner.count("head", default.head), inner.count("tail", default.tail))


_WORDS: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def _string(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise RuleError(f"'{where}' must be a non-empty string, not {value!r}")
    return value


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise RuleError(f"'{where}' must be a whole number, not {value!r}")
    return value


def _string_list(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise RuleError(f"'{where}' must be a list of strings")
    return tuple(_string(item, f"{where}[{at}]") for at, item in enumerate(value))


def _one_or_list(value: Any, where: str) -> tuple[str, ...]:
    return _string_list(value, where) if isinstance(value, list) else (_string(value, where),)


class _Patterns(Record):
    """How patterns of one rule are read."""

    ignore_case: bool
    guarded: bool
    warn: Callable[[str], None]

    def build(self, value: Any, where: str) -> Pattern | None:
        """Returns the pattern, or None (with a warning) where it does not compile."""
        flags = ""
        if isinstance(value, Mapping):
            flags = value.get("flags") or ""
            if not isinstance(flags, str) or set(flags) - set("gimsuy"):
                raise RuleError(f"'{where}.flags' must be letters of 'gimsuy', not {flags!r}")
            value = value.get("pattern")
        pattern = Pattern(_string(value, where), self.ignore_case or "i" in flags, self.guarded)
        if self.guarded:
            try:
                pattern.check()
            except RuleError as error:
                self.warn(f"'{where}': {error}; this pattern is skipped")
                return None
        return pattern

    def one(self, fields: _Fields, key: str) -> Pattern | None:
        value = fields.data.get(key)
        return None if value is None else self.build(value, fields.name(key))

    def many(self, fields: _Fields, key: str) -> tuple[Pattern, ...]:
        value = fields.data.get(key)
        if isinstance(value, (str, Mapping)):
            value = [value]
        if value is None:
            return ()
        if not isinstance(value, list):
            raise RuleError(f"'{fields.name(key)}' must be a list of patterns")
        built = [self.build(item, f"{fields.name(key)}[{at}]") for at, item in enumerate(value)]
        return tuple(pattern for pattern in built if pattern is not None)


def parse_rule(data: Any, layer: str = "builtin", path: str = "", warnings: list[str] | None = None) -> Rule:
    """Returns the rule that a JSON document describes.

    Args:
        data: the parsed document.
        layer: ``builtin``, ``user`` or ``project``; patterns of the last two run with a time limit.
        path: the file, for messages.
        warnings: receives what is skipped: patterns that do not compile, unknown fields.

    Raises:
        RuleError: names the file and the field.
    """
    notes = warnings if warnings is not None else []

    def warn(message: str) -> None:
        notes.append(f"{path}: {message}" if path else message)

    try:
        return _parse(data, layer, path, warn)
    except RuleError as error:
        raise RuleError(f"{path}: {error}" if path else str(error)) from None


def _parse(data: Any, layer: str, path: str, warn: Callable[[str], None]) -> Rule:
    top = _Fields(data, "")
    for key in sorted(set(top.data) - _RULE_KEYS):
        if layer == "builtin":
            raise RuleError(f"'{key}' is not a known field")
        warn(f"'{key}' is not a known field; ignored")
    read = _Patterns(top.take("ignoreCase", bool, False), layer != "builtin", warn)
    if "match" not in top.data:
        raise RuleError("'match' is missing (use {} to match always)")
    transforms = _Fields(top.data.get("transforms") or {}, "transforms")
    filters = _Fields(top.data.get("filters") or {}, "filters")
    context = _Fields(top.data.get("context") or {}, "context")
    failure = top.window("failure", Window(6, 12))
    priority = top.data.get("priority", 0)
    if not isinstance(priority, (int, float)) or isinstance(priority, bool) or priority != priority:
        raise RuleError(f"'priority' must be a number, not {priority!r}")
    return Rule(
        id=_rule_id(top),
        family=top.required("family"),
        match=_match(top.data["match"], read, layer),
        description=top.take("description", str, ""),
        priority=float(priority),
        layer=layer,
        path=path,
        strip_ansi=transforms.take("stripAnsi", bool, True),
        pretty_json=transforms.take("prettyPrintJson", bool, False),
        dedupe=_dedupe(top, transforms),
        skip=read.many(filters, "skipPatterns"),
        keep=read.many(filters, "keepPatterns"),
        minor=read.many(filters, "minorPatterns"),
        summary=read.many(top, "summaryPatterns"),
        headings=read.many(top, "headings"),
        tally=read.one(top, "tally"),
        per_kind=top.count("perKind", 0),
        records=read.one(top, "records"),
        blocks=_present(top.items("keepBlocks", lambda value, where: _block(value, where, read))),
        context_before=context.count("before", 0),
        context_after=context.count("after", 0),
        signals=top.take("signals", bool, True),
        summarize=top.window("summarize", Window(6, 6)),
        failure=failure,
        window_on_success=top.window("windowOnSuccess", Window(0, 0))
        if "windowOnSuccess" in top.data
        else None,
        counters=_present(top.items("counters", lambda value, where: _counter(value, where, read))),
        failures=_failures(top.data["failures"], read) if top.data.get("failures") is not None else None,
        output_matches=_output_matches(top, read),
        on_empty=top.take("onEmpty", str, ""),
        prefer=_choice(top, "prefer", PREFERENCES) or "ends",
        odd=top.take("odd", bool, not top.take("signals", bool, True)),
        exact=top.take("exact", bool, False),
        delegate=_choice(top, "delegate", DELEGATES),
        formatter=_choice(top, "formatter", FORMATTERS),
        table=_table(top.data["table"], read) if top.data.get("table") is not None else None,
    )


def _present(values: tuple[_T | None, ...]) -> tuple[_T, ...]:
    return tuple(value for value in values if value is not None)


def _rule_id(top: _Fields) -> str:
    name = top.required("id")
    if name.startswith("/") or ".." in name or any(char.isspace() for char in name):
        raise RuleError(f"'id' must look like family/name, not {name!r}")
    return name


def _choice(fields: _Fields, key: str, choices: tuple[str, ...]) -> str:
    value = fields.take(key, str, "")
    if value and value not in choices:
        raise RuleError(f"'{fields.name(key)}' must be one of {', '.join(choices)}, not {value!r}")
    return value


def _dedupe(top: _Fields, transforms: _Fields) -> str:
    chosen = _choice(top, "dedupe", DEDUPES)
    adjacent = transforms.take("dedupeAdjacent", bool, True)
    transforms.take("trimEmptyEdges", bool, True)
    return chosen or ("count" if adjacent else "off")


def _match(data: Any, read: _Patterns, layer: str) -> Match:
    from tokenjuice_ml.command import program_name

    fields = _Fields(data, "match", _MATCH_KEYS if layer == "builtin" else None)
    programs = {program_name(name) for name in fields.strings("argv0")}
    verbs = [tuple(phrase.split()) for phrase in fields.strings("verbs")]
    git = fields.strings("gitSubcommands")
    if git:
        programs.add("git")
        verbs.extend((name,) for name in git)
    return Match(
        argv0=frozenset(programs),
        verbs=tuple(verbs),
        flags=fields.items("flags", _one_or_list),
        not_flags=fields.strings("notFlags"),
        argv_includes=fields.items("argvIncludes", _string_list),
        argv_includes_any=fields.items("argvIncludesAny", _string_list),
        command_includes=fields.strings("commandIncludes"),
        command_includes_any=fields.strings("commandIncludesAny"),
        command_regex=read.one(fields, "commandRegex"),
        tool_names=frozenset(fields.strings("toolNames")),
        exit_codes=frozenset(fields.items("exitCodes", _whole)),
        output_regex=read.one(fields, "outputRegex"),
        help=fields.take("help", bool, False),
    )


def _block(data: Any, where: str, read: _Patterns) -> Block | None:
    fields = _Fields(data, where, _BLOCK_KEYS)
    if "start" not in fields.data:
        raise RuleError(f"'{where}.start' is missing")
    start = read.one(fields, "start")
    if start is None:
        return None
    return Block(
        start=start,
        end=read.one(fields, "end"),
        end_before=read.one(fields, "endBefore"),
        while_=read.one(fields, "while"),
        skip=read.many(fields, "skip"),
        before=fields.count("before", 0),
        after=fields.count("after", 0),
        max_lines=max(1, fields.count("maxLines", 60)),
        on_failure_only=fields.take("onFailureOnly", bool, False),
        minor=fields.take("minor", bool, False),
        skip_deeper=fields.take("skipDeeper", bool, False),
        alike_once=fields.take("alikeOnce", bool, False),
        name=fields.take("name", str, "block"),
    )


def _counter(data: Any, where: str, read: _Patterns) -> Counter | None:
    fields = _Fields(data, where)
    pattern = read.build(data, where) if "pattern" in fields.data else None
    if "pattern" not in fields.data:
        raise RuleError(f"'{where}.pattern' is missing")
    return None if pattern is None else Counter(fields.required("name"), pattern, read.one(fields, "minus"))


def _failures(data: Any, read: _Patterns) -> Failures | None:
    fields = _Fields(data, "failures", frozenset(("test", "home", "raised", "last")))
    if "test" not in fields.data:
        raise RuleError("'failures.test' is missing")
    test = read.one(fields, "test")
    if test is None:
        return None
    home, raised = read.one(fields, "home"), read.one(fields, "raised")
    return Failures(test, home, raised, fields.take("last", bool, False))


def _output_matches(top: _Fields, read: _Patterns) -> tuple[OutputMatch, ...]:
    def build(data: Any, where: str) -> OutputMatch | None:
        fields = _Fields(data, where)
        if "pattern" not in fields.data:
            raise RuleError(f"'{where}.pattern' is missing")
        pattern = read.build(data, where)
        message = fields.required("message")
        return None if pattern is None else OutputMatch(pattern, message, read.one(fields, "unless"))

    return _present(top.items("outputMatches", build) + top.items("matchOutput", build))


def _table(data: Any, read: _Patterns) -> Table:
    fields = _Fields(data, "table", frozenset(("unhealthy", "healthy", "maxRows", "countBy", "header")))
    return Table(
        unhealthy=read.one(fields, "unhealthy") if fields.data.get("unhealthy") else None,
        healthy=read.one(fields, "healthy") if fields.data.get("healthy") else None,
        max_rows=fields.count("maxRows", 12),
        count_by=fields.take("countBy", str, ""),
        header=fields.count("header", 1),
    )
