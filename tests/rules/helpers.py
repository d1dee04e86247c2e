"""Runs a rule the way the pipeline does, and finds fixtures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenjuice_ml.command import identify
from tokenjuice_ml.rules.load import load
from tokenjuice_ml.rules.match import ranking, with_tools_inside
from tokenjuice_ml.rules.reduce import Trace, apply
from tokenjuice_ml.rules.schema import Rule, parse_rule
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Context, Detection, Kind, Reduction, ToolOutput

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = ROOT / "rules"
FIXTURES = ROOT / "tests" / "fixtures" / "rules"
SETTINGS = Settings()


@dataclass(frozen=True)
class Case:
    """One fixture: its description and its files."""

    path: Path
    spec: dict[str, Any]

    @property
    def rule_id(self) -> str:
        return self.path.parent.relative_to(FIXTURES).as_posix()

    @property
    def name(self) -> str:
        return f"{self.rule_id}/{self.path.stem}"

    @property
    def text(self) -> str:
        return self.path.with_suffix(".in").read_bytes().decode("utf-8", "surrogateescape")

    @property
    def golden(self) -> Path:
        return self.path.with_suffix(".out")

    def output(self) -> ToolOutput:
        argv = self.spec.get("argv")
        return ToolOutput(
            text=self.text,
            tool=self.spec.get("tool", "exec"),
            command=self.spec.get("command"),
            argv=tuple(argv) if argv else None,
            exit_code=self.spec.get("exit_code"),
        )


def cases() -> list[Case]:
    return [Case(path, json.loads(path.read_text("utf-8"))) for path in sorted(FIXTURES.rglob("*.json"))]


def detection_of(output: ToolOutput) -> Detection:
    try:
        from tokenjuice_ml.detect import detect
    except ImportError:
        return Detection(Kind.LOG, "", "")
    return detect(output, identify(output.command, output.argv))


def context_of(output: ToolOutput, budget: int = 2000, settings: Settings = SETTINGS) -> Context:
    return Context(output, settings, detection_of(output), identify(output.command, output.argv), budget)


def chosen(output: ToolOutput) -> Rule | None:
    """The built-in rule for an output; what the user's own folder holds does not count."""
    rules, command = load("/nonexistent", "off"), identify(output.command, output.argv)
    ranked = ranking(rules, command, output)
    return with_tools_inside(ranked[0][1], rules, command, output) if ranked else None


def run(rule: Rule, output: ToolOutput, budget: int = 2000, trace: Trace | None = None) -> Reduction | None:
    return apply(rule, output.text, context_of(output, budget), trace)


def make(document: dict[str, Any] | None = None, layer: str = "builtin", **more: Any) -> Rule:
    base: dict[str, Any] = {"id": "x/y", "family": "x", "match": {"argv0": ["x"]}}
    return parse_rule({**base, **(document or {}), **more}, layer)


def body_of(
    text: str, code: int | None = 0, rule: Rule | None = None, budget: int = 2000, **more: Any
) -> str:
    """The body a rule makes of `text`; the text itself where it declines."""
    reduction = run(rule or make(more), ToolOutput(text=text, command="x", exit_code=code), budget)
    return text if reduction is None else reduction.text
