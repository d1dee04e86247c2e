"""Chooses who cuts a text: a rule for a known command, else the compressor of its kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from tokenjuice_ml import tokens
from tokenjuice_ml.command_tables import SHELL_TOOLS
from tokenjuice_ml.compressors import MODULES, binary
from tokenjuice_ml.detection import jsonshape
from tokenjuice_ml.record import Record, replace
from tokenjuice_ml.types import Context, Detection, Kind, Reason, Reduction, ToolOutput

if TYPE_CHECKING:
    from tokenjuice_ml.command import Command
    from tokenjuice_ml.rules.schema import Rule
    from tokenjuice_ml.settings import Settings

READ_TOOLS = frozenset("read_file read file_read view view_file open_file cat get_file_contents".split())
# What only one runner writes among its last lines -> its rule.
TEST_SIGNATURES = (
    ("\n Test Files  ", "tests/vitest"),
    ("\nTest Suites: ", "tests/jest"),
    (" short test summary info ", "tests/pytest"),
    ("\ntest result: ", "tests/cargo-test"),
    ("\n--- FAIL: ", "tests/go-test"),
)
SIGNATURE_CHARS = 4000
# Formats with a compressor of their own, whatever kind they were found under.
_FORMATS = {"table": "table", "csv": "table", "tsv": "table", "jsonl": "jsonish"}

# Files of keys and values, and how long one may be that stays whole.
_SETTINGS, _WHOLE_CHARS = frozenset(("ini", "toml", "yaml", "properties", "env")), 60_000
# Formats of a log that are none, or a guess.
_UNSURE = ("", "build", "log")

# Kinds that say nothing about what a text is.
_SHAPELESS = (Kind.LOG, Kind.PLAIN_TEXT, Kind.SEARCH)

Run = Callable[[str, Context], Reduction | None]


class Plan(Record):
    """What will happen to a text.

    Attributes:
        run: cuts it.
        stop: a reason to leave it untouched instead.
        rule: id of the rule its command reached.
        is_log: it is a log or command output, so the smaller size floor counts.
        budget_tokens: most tokens of the body; 0 for kinds without a budget.
    """

    run: Run
    stop: Reason | None = None
    rule: str | None = None
    is_log: bool = False
    budget_tokens: int = 0


def plan(output: ToolOutput, command: Command | None, detection: Detection, settings: Settings) -> Plan:
    """Returns who cuts the text, or why nobody does."""
    if command is not None and command.redirected:
        return Plan(_nothing, stop=Reason.REDIRECTED)
    from_command = is_command_output(output)
    if binary.is_binary(output.text):
        return Plan(binary.compress)
    if _is_exact_read(output, command, settings):
        return Plan(_nothing, stop=Reason.EXACT_READ)
    is_log = detection.kind is Kind.LOG or from_command
    budget = settings.max_inline_tokens if is_log else 0
    if output.kind is None and (from_command or output.tool):
        from tokenjuice_ml.rules import match, reduce

        rule = match.find(command, output, settings)
        # Of tools that run no command only rules that name the tool are asked.
        if rule is not None and (from_command or rule.match.tool_names):
            run: Run = partial(reduce.apply, rule)
            if _is_json_first(rule, output, detection):
                run = partial(_json_or, run, rule.id)
            if not rule.exact and match.is_builtin(rule, output, settings):
                run = _by_shape(run, output, command, settings)
            return Plan(run, rule=rule.id, is_log=True, budget_tokens=budget)
    if not _kind_enabled(detection.kind, settings):
        return Plan(_nothing, stop=Reason.KIND_OFF, is_log=is_log)
    if detection.format == "test" and command is None and output.kind is None:
        runner = _runner_of(output, settings)
        if runner is not None:
            return runner
    run = partial(_by_kind, from_command)
    if output.kind is None and detection.kind in _SHAPELESS:
        run = _by_shape(run, output, command, settings)
    return Plan(run, is_log=is_log, budget_tokens=budget)


def _is_json_first(rule: Rule, output: ToolOutput, detection: Detection) -> bool:
    """Tells whether the text is JSON that a rule made for lines would tear apart.

    Lines of a log in JSON stay with their rule, as do rules that hand JSON on or write it anew.
    """
    if detection.kind is not Kind.JSON or detection.format not in ("json", "jsonl"):
        return False
    if rule.layer != "builtin" or rule.exact or rule.pretty_json or rule.formatter:
        return False
    if rule.delegate in ("json", "auto"):
        return False
    return detection.format == "json" or not jsonshape.is_log(output.text)


def _json_or(run: Run, rule: str, text: str, context: Context) -> Reduction | None:
    """What the JSON compressor makes of the text, what `run` makes of it where that declines."""
    from tokenjuice_ml.compressors import jsonish

    found = jsonish.compress(text, context)
    return run(text, context) if found is None else replace(found, rule=rule)


def _by_shape(run: Run, output: ToolOutput, command: Command | None, settings: Settings) -> Run:
    """Returns what cuts a text of a shape of its own, and `run` where it has none or that declines."""
    if settings.profile == "light" or output.digest is not None:
        return run
    from tokenjuice_ml.compressors import shapes

    shape = shapes.of(output.text, command is not None and command.help, bool(output.exit_code))
    if not shape:
        return run
    return lambda text, context: shapes.compress(shape, text, context) or run(text, context)


def _runner_of(output: ToolOutput, settings: Settings) -> Plan | None:
    """The rule of the test runner whose totals end the text, where no command tells it."""
    end = output.text[-SIGNATURE_CHARS:]
    name = next((rule for sign, rule in TEST_SIGNATURES if sign in end), None)
    if name is None:
        return None
    from tokenjuice_ml.rules import load, reduce

    rule = load.load(output.cwd, settings.project_rules).get(name)
    if rule is None:
        return None
    run = partial(reduce.apply, rule)
    return Plan(run, rule=rule.id, is_log=True, budget_tokens=settings.max_inline_tokens)


def is_command_output(output: ToolOutput) -> bool:
    """Returns True when the text is what a shell command printed."""
    return bool(output.command or output.argv or (output.tool or "").lower() in SHELL_TOOLS)


def _is_exact_read(output: ToolOutput, command: Command | None, settings: Settings) -> bool:
    from tokenjuice_ml.command import is_file_read

    by_tool = (output.tool or "").lower() in READ_TOOLS
    if not by_tool and not (command is not None and is_file_read(command)):
        return False
    return settings.exact or tokens.estimate(output.text) < settings.exact_read_tokens


def _kind_enabled(kind: Kind, settings: Settings) -> bool:
    return kind is Kind.PLAIN_TEXT or bool(getattr(settings, f"{kind.value}_enabled"))


def _by_kind(from_command: bool, text: str, context: Context) -> Reduction | None:
    """The compressor of the kind; a command's text that it declines goes to the fallback."""
    kind = context.detection.kind
    reduction = _by_format(text, context)
    if reduction is not None:
        return reduction
    if kind in (Kind.LOG, Kind.PLAIN_TEXT):
        from tokenjuice_ml.compressors import mixed, table_ranked

        plain = context.detection.format in _UNSURE
        ranked = table_ranked.compress(text, context) if plain else None
        reduction = ranked or mixed.compress(text, context)
        if reduction is not None:
            return reduction
    if kind is Kind.PLAIN_TEXT:
        reduction = _plain(text, context)
    else:
        module = import_module(f"tokenjuice_ml.compressors.{MODULES[kind]}")
        reduction = _with_prose(module.compress, text, context)
    if reduction is None and from_command and not _is_settings(text, context.detection):
        from tokenjuice_ml.compressors import generic

        reduction = generic.compress(text, context)
    return reduction


def _is_settings(text: str, detection: Detection) -> bool:
    """A file of settings that its compressor leaves whole is as whole where a command printed it."""
    return detection.kind is Kind.CODE and detection.format in _SETTINGS and len(text) <= _WHOLE_CHARS


def _with_prose(run: Run, text: str, context: Context) -> Reduction | None:
    """What `run` makes of the text; where the model is on, it cuts the prose inside as well."""
    if not context.settings.ml_compression_enabled or context.settings.profile == "light":
        return run(text, context)
    from tokenjuice_ml.saliency import inside

    return inside.compress(run, text, context)


def _by_format(text: str, context: Context) -> Reduction | None:
    """Tables go to the table compressor; a markdown file, where no model cuts prose, to the code one."""
    detection = context.detection
    name = _FORMATS.get(detection.format)
    prose = context.settings.ml_compression_enabled
    if detection.format == "markdown" and detection.by in ("extension", "mime") and not prose:
        name = "code" if context.settings.code_enabled else None
    if name is None:
        return None
    module = import_module(f"tokenjuice_ml.compressors.{name}")
    reduction: Reduction | None = module.compress(text, context)
    return reduction


def _plain(text: str, context: Context) -> Reduction | None:
    settings = context.settings
    if not settings.ml_compression_enabled or settings.profile == "light":
        return None
    from tokenjuice_ml.saliency.compress import compress

    return compress(text, context)


def _nothing(text: str, context: Context) -> Reduction | None:
    return None
