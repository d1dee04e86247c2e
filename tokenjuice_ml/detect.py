"""Decides what a text is: explicit kind > MIME > extension > tool > command > structure.

A hint settles the kind unless the text itself plainly is something else (a diff read from a
``.txt``, an HTML error page served as JSON). Nothing here uses regular expressions, parses the
whole text or looks at more than samples of its head, middle and tail.

Formats beside the plain kinds:
    json: json, jsonl, rg-json is search; diff: unified, combined, patch; html: html, xml, rss, svg;
    search: grep, heading, count, rg-json, paths, ls-r; code: the language, yaml, toml, ini,
    dockerfile, makefile, notebook; log: travis, github, gitlab, jenkins, access, crash, test,
    jsonl, csv, tsv, table, build; plain_text: markdown.
"""

from __future__ import annotations

from tokenjuice_ml.command import Command
from tokenjuice_ml.detection import hints
from tokenjuice_ml.detection.sample import Sample, take
from tokenjuice_ml.detection.structure import Guess, look, prose_share, unmistakable
from tokenjuice_ml.types import Detection, Kind, ToolOutput


def detect(output: ToolOutput, command: Command | None) -> Detection:
    """Returns the kind of `output` with the evidence for it."""
    sample = take(output.text)
    named = hints.from_mime(output.mime) or hints.from_extension(output.extension)
    guess = unmistakable(output.text, sample)
    if guess is None and output.kind is None and named is not None and named.kind is Kind.CODE:
        guess = Guess(Kind.CODE, named.format, named.evidence)
    guess = guess or look(output.text, sample)
    if output.kind is not None:
        form = guess.format if guess.kind is output.kind else ""
        return Detection(output.kind, "given by the caller", "kind", form)
    for by, hint in _hints(output, command):
        if hint is not None:
            settled = _settle(by, hint, guess)
            if settled is not None:
                return settled
    return _unhinted(output, command, guess, sample)


def _hints(output: ToolOutput, command: Command | None) -> list[tuple[str, hints.Hint | None]]:
    """Returns the hints there are, strongest first."""
    return [
        ("mime", hints.from_mime(output.mime)),
        ("extension", hints.from_extension(output.extension)),
        ("tool", hints.from_tool(output.tool)),
        ("command", hints.from_command(command)),
    ]


def _settle(by: str, hint: hints.Hint, guess: Guess) -> Detection | None:
    """Returns the detection a hint leads to, or None where the text contradicts it."""
    if guess.kind is hint.kind:
        # The text knows its finer format better than a tool's name, a file name knows it best.
        exact = by in ("mime", "extension") and hint.format and hint.format not in hints.BROAD
        form = hint.format if exact else guess.format or hint.format
        return Detection(hint.kind, hint.evidence, by, form)
    if _contradicted(hint, guess):
        return None
    form = hint.format
    if hint.kind is Kind.LOG and guess.format in ("jsonl", "csv", "tsv", "table"):
        form = guess.format
    return Detection(hint.kind, hint.evidence, by, form)


def _contradicted(hint: hints.Hint, guess: Guess) -> bool:
    """Says whether the text plainly is something else than the hint."""
    if hint.kind is Kind.LOG and guess.format == "jsonl":
        return False
    if guess.strong and guess.kind is Kind.DIFF:
        return True
    if hint.kind is Kind.JSON:
        return guess.strong or not guess.format.startswith("json")
    if hint.kind in (Kind.DIFF, Kind.SEARCH):
        return guess.kind is not Kind.PLAIN_TEXT or hint.kind is Kind.DIFF
    if hint.kind is Kind.HTML:
        return guess.kind is not Kind.PLAIN_TEXT or not guess.tags
    return guess.strong and hint.weak


def _unhinted(output: ToolOutput, command: Command | None, guess: Guess, sample: Sample) -> Detection:
    """Returns what structure says; unclear shell output that is no prose counts as a log."""
    if guess.kind is Kind.PLAIN_TEXT and not guess.format:
        shell = command is not None or (output.tool or "").lower() in hints.SHELL_TOOLS
        if shell and prose_share(sample) < 0.12:
            return Detection(Kind.LOG, "shell output, no prose", "structure", "")
    return Detection(guess.kind, guess.evidence, "structure", guess.format)
