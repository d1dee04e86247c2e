"""Chooses the rule for a command: the most specific one that holds.

Specific means, in this order: priority, program, words of the verb, flags, command text, exit code
and output. How many alternatives a list has says nothing. Ties go to the nearer layer, then to
the id.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenjuice_ml.command import Command
from tokenjuice_ml.command_tables import SHELL_TOOLS, TASK_RUNNERS, TEXT_PRINTERS
from tokenjuice_ml.rules import inner
from tokenjuice_ml.rules.load import LAYERS, RuleSet, load
from tokenjuice_ml.rules.schema import FALLBACK_ID, Match, Rule
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import ToolOutput

OUTPUT_CHARS = 20_000
Score = tuple[float, int, int, int, int, int]
_CLUSTERLESS = frozenset(
    ("go", "java", "javac", "terraform", "find", "gcc", "clang", "mvn", "node", "ruby", "php")
)


def find(command: Command | None, output: ToolOutput, settings: Settings) -> Rule | None:
    """Returns the rule for this output, or None where only the fallback is left."""
    rules = load(output.cwd, settings.project_rules)
    ranked = ranking(rules, command, output)
    if ranked:
        return with_tools_inside(ranked[0][1], rules, command, output)
    if command is not None and command.program in inner.RUNNERS and not command.compound:
        known = inner.alone(rules, output.text)
        if known is not None:
            return known
    fallback = rules.entries.get(FALLBACK_ID)
    if fallback is not None and fallback.layer != "builtin":
        return rules.rule(fallback)
    return None


def with_tools_inside(rule: Rule, rules: RuleSet, command: Command | None, output: ToolOutput) -> Rule:
    """Returns `rule`; that of a task runner knows what the tools of its recipes print, too."""
    if command is None or command.program not in inner.RUNNERS:
        return rule
    return inner.with_inner(rule, rules, output.text)


def is_builtin(rule: Rule, output: ToolOutput, settings: Settings) -> bool:
    """Returns True for a rule that came along, False for one that somebody wrote for this place."""
    entry = load(output.cwd, settings.project_rules).entries.get(rule.id)
    return entry is not None and entry.layer == "builtin"


def ranking(rules: RuleSet, command: Command | None, output: ToolOutput) -> list[tuple[Score, Rule]]:
    """Returns every rule that holds, the most specific first."""
    if command is not None and (command.compound or command.redirected):
        command = None
    program = command.program if command is not None else ""
    if not program and not output.tool:
        return []
    found = [
        (score, rule)
        for rule in rules.candidates(program)
        if rule.id != FALLBACK_ID and (score := score_of(rule, command, output)) is not None
    ]
    return sorted(
        found, key=lambda item: (tuple(-part for part in item[0]), -LAYERS.index(item[1].layer), item[1].id)
    )


def score_of(rule: Rule, command: Command | None, output: ToolOutput) -> Score | None:
    """Returns how specific the match is, or None where `rule` does not hold."""
    match = rule.match
    if match.tool_names and not _tool_matches(match, command, output):
        return None
    command_score = _command_score(match, command)
    if command_score is None:
        return None
    extra = 0
    if match.exit_codes:
        if output.exit_code not in match.exit_codes:
            return None
        extra += 1
    if match.output_regex is not None:
        head = output.text[:OUTPUT_CHARS].split("\n")
        if not any(match.output_regex.test(line) for line in head):
            return None
        extra += 1
    program, verb, flags, text = command_score
    named = bool(match.tool_names - SHELL_TOOLS)
    if not (program or verb or flags or text or extra or named):
        return None
    return rule.priority, program + named, verb, flags, text, extra


def _tool_matches(match: Match, command: Command | None, output: ToolOutput) -> bool:
    """Upstream's `exec` stands for every tool that is a shell."""
    if output.tool in match.tool_names:
        return True
    shell = output.tool in SHELL_TOOLS or (output.tool is None and command is not None)
    return shell and bool(match.tool_names & SHELL_TOOLS)


def _command_score(match: Match, command: Command | None) -> tuple[int, int, int, int] | None:
    """Returns (program, verb words, flags, text parts) that match, None where one does not hold."""
    wants = match.argv0 or match.verbs or match.flags or match.argv_includes or match.argv_includes_any
    wants_text = match.command_includes or match.command_includes_any or match.command_regex
    if command is None:
        return None if wants or wants_text or match.help or match.not_flags else (0, 0, 0, 0)
    if match.argv0 and command.program not in match.argv0:
        return None
    if match.help and not command.help:
        return None
    verb = _verb_words(match.verbs, command)
    flags = _flags(match, command)
    words = _argv_score(match, command)
    text = _text_score(match, command)
    if verb is None or flags is None or words is None or text is None:
        return None
    # Who asks for help gets help, whatever the program.
    return int(bool(match.argv0)) + 2 * match.help, verb + words[0], flags + words[1], text


def _verb_words(phrases: Iterable[tuple[str, ...]], command: Command) -> int | None:
    """Returns the words of the longest phrase that the command starts with."""
    phrases = tuple(phrases)
    if not phrases:
        return 0
    best = 0
    for phrase in phrases:
        if command.words[: len(phrase)] == phrase or (
            command.program in TASK_RUNNERS and len(phrase) == 1 and phrase[0] in command.words
        ):
            best = max(best, len(phrase))
    return best or None


def has_flag(command: Command, flag: str) -> bool:
    """Returns True when `flag` is there: alone, with `=value`, or in a cluster such as `-la`."""
    if flag in command.flags:
        return True
    if len(flag) != 2 or not flag[1].isalpha() or command.program in _CLUSTERLESS:
        return False
    return any(
        2 < len(given) <= 5 and given[1] != "-" and given[1:].isalpha() and flag[1] in given
        for given in command.flags
    )


def _flags(match: Match, command: Command) -> int | None:
    if any(has_flag(command, flag) for flag in match.not_flags):
        return None
    if not all(any(has_flag(command, flag) for flag in choices) for choices in match.flags):
        return None
    return len(match.flags)


def _argv_score(match: Match, command: Command) -> tuple[int, int] | None:
    """Upstream's argvIncludes: words at the verb position, flags before ``--``."""
    words = flags = 0
    for group in match.argv_includes:
        if not all(_in_argv(item, command) for item in group):
            return None
        words += sum(not item.startswith("-") for item in group)
        flags += sum(item.startswith("-") for item in group)
    if match.argv_includes_any:
        holding = [g for g in match.argv_includes_any if all(_in_argv(item, command) for item in g)]
        if not holding:
            return None
        best = max(holding, key=len)
        words += sum(not item.startswith("-") for item in best)
        flags += sum(item.startswith("-") for item in best)
    return words, flags


def _in_argv(item: str, command: Command) -> bool:
    if item.startswith("-"):
        return item in command.argv and (has_flag(command, item.split("=", 1)[0]) or item == "--")
    if command.program in TEXT_PRINTERS:
        return False
    return item in command.words[:3] or item == command.program or item in command.argv[1:4]


def _text_score(match: Match, command: Command) -> int | None:
    if not (match.command_includes or match.command_includes_any or match.command_regex):
        return 0
    if command.program in TEXT_PRINTERS:
        return None
    effective = " ".join(command.argv)
    texts = (effective + " ", command.text + " ")
    score = len(match.command_includes) + bool(match.command_includes_any) + bool(match.command_regex)
    if not all(_includes(texts, needle) for needle in match.command_includes):
        return None
    if match.command_includes_any and not any(
        _includes(texts, needle) for needle in match.command_includes_any
    ):
        return None
    if match.command_regex is not None and not match.command_regex.test(effective):
        return None
    return score


def _includes(texts: Iterable[str], needle: str) -> bool:
    """Returns True when `needle` is in a text with no word character glued to its word edges."""
    return any(_bounded(text, needle) for text in texts)


def _bounded(text: str, needle: str) -> bool:
    at = text.find(needle)
    while at >= 0:
        end = at + len(needle)
        left = at == 0 or not (_is_word(needle[0]) and _is_word(text[at - 1]))
        right = end >= len(text) or not (_is_word(needle[-1]) and _is_word(text[end]))
        if left and right:
            return True
        at = text.find(needle, at + 1)
    return False


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())
