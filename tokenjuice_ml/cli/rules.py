"""``tj rules list|show|verify|test|explain|trust``: see, prove and write rules."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

from tokenjuice_ml import command as commands
from tokenjuice_ml import detect, tokens
from tokenjuice_ml.api import tool_output
from tokenjuice_ml.cli import common
from tokenjuice_ml.cli.reduce import read
from tokenjuice_ml.errors import RequestError
from tokenjuice_ml.rules import load, match, reduce, trust
from tokenjuice_ml.rules.schema import Rule, parse_rule
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.types import Context, ToolOutput

NOT_FOUND = 3


def run(argv: list[str]) -> int:
    """Runs one of the sub-verbs."""
    parser = common.parser("rules", "See, prove and write rules. docs/CONTRIBUTING.md walks through one.")
    verbs = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    _sub(verbs, "list", "every rule with its layer", _list)
    _sub(verbs, "show", "one rule as it is in force", _show).add_argument("id")
    _sub(verbs, "verify", "read every rule file and tell what is wrong", _verify)
    test = _sub(verbs, "test", "run a rule file over an output and show each step", _test)
    test.add_argument("rule", help="rule file, or the id of a rule")
    test.add_argument("file", nargs="?", default="-", help="output to cut; - or nothing: standard input")
    test.add_argument("--exit-code", type=int, default=None, metavar="N")
    test.add_argument("--command", default=None, help="the command line, for `match`")
    explain = _sub(verbs, "explain", "which rule a command reaches and why", _explain)
    explain.add_argument("command", help="the command line as typed")
    explain.add_argument("file", nargs="?", help="an output of it, to see each step")
    explain.add_argument("--exit-code", type=int, default=None, metavar="N")
    trusting = _sub(verbs, "trust", "use this project's rules from now on, as they are now", _trust)
    trusting.add_argument("--remove", action="store_true", help="stop using them")
    args = parser.parse_args(argv)
    return int(args.run(args))


def _sub(verbs: Any, name: str, about: str, action: Any) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = verbs.add_parser(name, help=about, description=about)
    sub.add_argument("--json", action="store_true", help="print JSON")
    sub.set_defaults(run=action)
    return sub


def _loaded() -> load.RuleSet:
    return load.load(os.getcwd(), common.load_settings().project_rules)


def _list(args: argparse.Namespace) -> int:
    rules = _loaded().all()
    if args.json:
        common.write_json(
            [{"id": rule.id, "family": rule.family, "layer": rule.layer, "path": rule.path} for rule in rules]
        )
        return 0
    for rule in rules:
        common.write_text(f"{rule.id:32s} {rule.layer:8s} {rule.description}")
    common.write_text(f"{len(rules)} rules")
    return 0


def _show(args: argparse.Namespace) -> int:
    entry = _loaded().entries.get(args.id)
    if entry is None:
        return _unknown(args.id)
    common.write_text(f"// {entry.layer}: {entry.path}")
    common.write_text(json.dumps(dict(entry.data), ensure_ascii=False, indent=2))
    return 0


def _unknown(name: str) -> int:
    import difflib
    import sys

    near = difflib.get_close_matches(name, list(_loaded().entries), n=3)
    hint = f" Near: {', '.join(near)}." if near else ""
    sys.stderr.write(f"tj rules: no rule '{name}'.{hint} `tj rules list` lists them.\n")
    return NOT_FOUND


def _verify(args: argparse.Namespace) -> int:
    loaded = _loaded()
    rules = loaded.all()
    if args.json:
        common.write_json(
            {
                "rules": len(rules),
                "warnings": loaded.warnings,
                "shadowed": [list(pair) for pair in loaded.shadowed],
            }
        )
    else:
        for warning in loaded.warnings:
            common.write_text(f"BAD  {warning}")
        for rule_id, layer in loaded.shadowed:
            common.write_text(f"     {rule_id}: the {layer} rule is replaced by a nearer layer")
        common.write_text(f"{len(rules)} rules, {len(loaded.warnings)} problems")
    return 1 if loaded.warnings else 0


def _test(args: argparse.Namespace) -> int:
    text = read(args.file).decode("utf-8", "replace")
    warnings: list[str] = []
    rule = _rule_of(args.rule, warnings)
    if rule is None:
        return _unknown(args.rule)
    report = trace_of(rule, text, args.command, args.exit_code)
    report["warnings"] = warnings
    if args.command is not None:
        output = tool_output(text, {"command": args.command, "exit_code": args.exit_code})
        report["matches"] = match.score_of(rule, commands.identify(args.command), output) is not None
    _print_report(report, args.json)
    return 1 if warnings or report.get("matches") is False else 0


def _rule_of(name: str, warnings: list[str]) -> Rule | None:
    if not name.endswith(".json"):
        return _loaded().get(name)
    try:
        data = json.loads(Path(name).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise RequestError(f"{name}: {error}") from None
    return parse_rule(data, "user", name, warnings)


def _explain(args: argparse.Namespace) -> int:
    text = read(args.file).decode("utf-8", "replace") if args.file else ""
    output = tool_output(text, {"command": args.command, "exit_code": args.exit_code, "tool": "exec"})
    command = commands.identify(args.command)
    ranked = match.ranking(_loaded(), command, output)
    report: dict[str, Any] = {
        "warnings": _loaded().warnings,
        "command": {
            "program": command.program if command else "",
            "verb": command.verb if command else "",
            "argv": list(command.argv) if command else [],
            "compound": bool(command and command.compound),
            "piped": bool(command and command.piped),
            "redirected": bool(command and command.redirected),
        },
        "candidates": [
            {"id": rule.id, "layer": rule.layer, "specificity": list(score)} for score, rule in ranked
        ],
        "rule": ranked[0][1].id if ranked else None,
    }
    if text and ranked:
        rule = match.with_tools_inside(ranked[0][1], _loaded(), command, output)
        report.update(trace_of(rule, text, args.command, args.exit_code))
    _print_report(report, args.json)
    return 0 if ranked else NOT_FOUND


def trace_of(rule: Rule, text: str, command: str | None, exit_code: int | None) -> dict[str, Any]:
    """Returns what each step of a rule did with a text, and what came out."""
    settings = Settings.load()
    output = ToolOutput(text, tool="exec", command=command, exit_code=exit_code)
    identified = commands.identify(command)
    context = Context(
        output, settings, detect.detect(output, identified), identified, settings.max_inline_tokens
    )
    trace = reduce.Trace()
    reduction = reduce.apply(rule, text, context, trace)
    shown = text if reduction is None else reduction.text
    before, after = tokens.estimate(text), tokens.estimate(shown)
    return {
        "rule": rule.id,
        "layer": rule.layer,
        "steps": [{"step": step, "lines": lines, "note": note} for step, lines, note in trace.steps],
        "compressor": "none" if reduction is None else reduction.compressor,
        "tokens_before": before,
        "tokens_after": after,
        "lost": [
            {"first_line": gap.first_line, "last_line": gap.last_line, "lines": gap.lines, "what": gap.what}
            for gap in (reduction.omissions if reduction else ())
        ],
        "text": shown,
    }


def _print_report(report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        common.write_json(report)
        return
    for warning in report.get("warnings", ()):
        common.write_text(f"BAD   {warning}")
    if "command" in report:
        seen = report["command"]
        flags = " ".join(name for name in ("compound", "piped", "redirected") if seen[name])
        common.write_text(f"runs  {' '.join(seen['argv']) or '(no single program)'}  {flags}".rstrip())
        for at, candidate in enumerate(report["candidates"][:5]):
            sign = "->" if at == 0 else "  "
            common.write_text(
                f"{sign}    {candidate['id']:30s} {candidate['layer']:8s} {candidate['specificity']}"
            )
        if not report["candidates"]:
            common.write_text("->    no rule: the kind of the text decides, then the generic fallback")
    if "matches" in report:
        common.write_text(
            f"match {'yes' if report['matches'] else 'NO: this command does not reach the rule'}"
        )
    for step in report.get("steps", ()):
        common.write_text(f"step  {step['step']:14s} {step['lines']:6d} lines  {step['note']}".rstrip())
    if "text" not in report:
        return
    saved = 100 * (1 - report["tokens_after"] / max(1, report["tokens_before"]))
    for gap in report["lost"]:
        place = f"L{gap['first_line']}-L{gap['last_line']}"
        common.write_text(f"lost  {place:14s} {gap['lines']:6d} lines  {gap['what']}".rstrip())
    common.write_text(
        f"gives {report['tokens_after']} of {report['tokens_before']} tokens ({saved:.1f} % saved), by {report['compressor']}\n"
    )
    common.write_text(report["text"])


def _trust(args: argparse.Namespace) -> int:
    folder = load.project_rules_dir()
    if args.remove:
        gone = trust.untrust(folder)
        common.write_text(f"{folder}: {'no longer trusted' if gone else 'was not trusted'}")
        return 0
    files = load.rule_files(folder) if folder.is_dir() else []
    if not files:
        raise RequestError(f"{folder} holds no rules")
    for path in files:
        common.write_text(f"  {path.relative_to(folder)}")
    digest = trust.trust(folder)
    common.write_text(
        f"trusted {len(files)} rules of {folder}\n(content {digest[:16]}; a change ends the trust)"
    )
    return 0
