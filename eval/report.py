"""One self-contained HTML page: curves by group, latency, tables, and a browser of cases."""

from __future__ import annotations

import html
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from eval.metrics import GATES
from eval.summary import CHECKS, Point, by_system, curves_of, equal_kept, groups, levels_of, shares_of
from eval.text import aligned, body, words

PAGE = Path(__file__).resolve().parent / "report.html"
COLOURS = (
    "#2f7d5b", "#3563a8", "#b5562b", "#7a4fa0", "#8a7a1f", "#1f7f8a", "#a33d5e", "#56606b", "#4c8a2f", "#c2417f",
)  # fmt: skip
DASHES = ("", "6 3", "2 3")
CASES_SHOWN = 24
CHARS_SHOWN = 6000
PAGE_CHARS = 3_000_000
GROUPS_SHOWN = 16
WIDTH, HEIGHT, LEFT, BOTTOM = 520, 330, 46, 34
Style = dict[str, tuple[str, str, int]]
"""By system: colour, dash pattern, number."""


def write(result: dict[str, Any], found: list[Point], texts: dict[str, str], path: Path) -> None:
    """Writes the page.

    Args:
        result: what `run` gave.
        found: its points.
        texts: the inputs by case id, for the browser of cases.
        path: where the page goes.
    """
    style = _style(by_system(found))
    views = {"all": found, **dict(list(groups(result).items())[:GROUPS_SHOWN])}
    parts = {
        "TITLE": html.escape(f"{result['data']}: {result['cases']} cases"),
        "FACTS": html.escape(_facts(result)),
        "GROUPS": "".join(f"<option>{html.escape(name)}</option>" for name in views),
        "LEGEND": _legend(style),
        "VIEWS": "".join(_view(name, points, style) for name, points in views.items()),
        "LATENCY": _latency(found, style),
        "PROMISES": _promises(result, found),
        "PROBLEMS": _problems(result),
        "CASES": json.dumps(_cases(result, texts), ensure_ascii=False).replace("</", "<\\/"),
    }
    page = PAGE.read_text("utf-8")
    for key, value in parts.items():
        page = page.replace(f"<!--{key}-->", value)
    path.write_text(page, encoding="utf-8")


def _style(names: Iterable[str]) -> Style:
    size = len(COLOURS)
    return {
        name: (COLOURS[at % size], DASHES[min(at // size, len(DASHES) - 1)], at)
        for at, name in enumerate(names)
    }  # fmt: skip


def _facts(result: dict[str, Any]) -> str:
    machine = result["machine"]
    versions = ", ".join(
        f"{name} {version}" for name, version in result["versions"].items() if version != "baseline"
    )
    return (
        f"{machine['date']}, commit {machine['commit']}, Python {machine['python']}, {machine['system']}, "
        f"{machine['cores']} cores. Systems: {versions}. Tokens are exact o200k counts; bars are 95 % bootstrap intervals."
    )


def _legend(style: Style) -> str:
    items = []
    for name, (colour, dash, at) in style.items():
        line = f'<svg width="26" height="10"><line x1="0" y1="5" x2="26" y2="5" stroke="{colour}" stroke-width="3" stroke-dasharray="{dash}"/></svg>'
        items.append(
            f'<label><input type="checkbox" data-system="s{at}" checked>{line}{html.escape(name)}</label>'
        )
    return "".join(items)


def _view(name: str, found: list[Point], style: Style) -> str:
    """All plots and tables of one group."""
    cases = max((point["cases"] for point in found), default=0)
    plots = "".join(_plot(found, share, style) for share in curves_of(found))
    tables = "".join(_equal(found, share) for share in curves_of(found))
    return (
        f'<div class="view" data-group="{html.escape(name)}"><p class="facts">{html.escape(name)}: {cases} cases</p>'
        f'<div class="grid-box">{plots}</div><section><h2>At equal kept tokens</h2><div class="grid-box">{tables}</div></section>'
        f"<section><h2>All figures</h2>{_table(found)}</section></div>"
    )


def _place(kept: float, value: float) -> tuple[float, float]:
    return LEFT + kept * (WIDTH - LEFT - 10), HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - 14)


def _axes() -> list[str]:
    marks = []
    for step in range(0, 11, 2):
        x, y = _place(step / 10, step / 10)
        marks.append(f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - 10}" y2="{y:.0f}" class="grid"/>')
        marks.append(f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{step * 10} %</text>')
        marks.append(
            f'<text x="{x:.0f}" y="{HEIGHT - 16}" text-anchor="{"end" if step == 10 else "middle"}">{step * 10} %</text>'
        )
    marks.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 2}" text-anchor="middle">tokens kept</text>')
    return marks


def _plot(found: list[Point], share: str, style: Style) -> str:
    """Survival against tokens kept: up and to the left is better."""
    marks = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{share}">', *_axes()]
    for name, (colour, dash, at) in style.items():
        mine = sorted((p["kept"], *p[share]) for p in found if p["system"] == name and share in p)
        if mine:
            marks.append(f'<g class="s{at}">{_curve(name, share, mine, colour, dash)}</g>')
    return f"<section><h2>{_words(share)} against tokens kept</h2>{''.join(marks)}</svg></section>"


def _curve(name: str, share: str, mine: list[tuple[float, ...]], colour: str, dash: str) -> str:
    line = " ".join("{:.1f},{:.1f}".format(*_place(kept, value)) for kept, value, *_ in mine)
    marks = [
        f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-dasharray="{dash}"/>'
    ]
    for kept, value, low, high in mine:
        (x, y), (_, top), (_, end) = _place(kept, value), _place(kept, high), _place(kept, low)
        title = f"{html.escape(name)}: {100 * kept:.1f} % kept, {_words(share)} {100 * value:.1f} % ({100 * low:.1f}–{100 * high:.1f})"
        marks.append(
            f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{end:.1f}" stroke="{colour}" opacity=".4"/>'
        )
        marks.append(
            f'<rect x="{x - 4.5:.1f}" y="{y - 4.5:.1f}" width="9" height="9" fill="{colour}"><title>{title}</title></rect>'
            if len(mine) == 1
            else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.6" fill="{colour}"><title>{title}</title></circle>'
        )
    return "".join(marks)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cells(rows: list[list[str]], heads: list[str]) -> str:
    top = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    body_rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body_rows}</tbody></table>"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _equal(found: list[Point], share: str) -> str:
    """One share of all systems at the same kept tokens, best area first."""
    compared, levels = equal_kept(found, share), levels_of(found)
    names = sorted(compared, key=lambda name: -(compared[name]["area"] or 0.0))
    rows = [
        [
            name,
            *(_percent(compared[name][f"{level:.2f}"]) for level in levels),
            f"{compared[name]['area'] or 0.0:.3f}",
        ]
        for name in names
    ]
    heads = [_words(share), *(f"{100 * level:.0f} %" for level in levels), "area"]
    return f'<div class="scroll">{_cells(rows, heads)}</div>'


def _table(found: list[Point]) -> str:
    shares = shares_of(found)
    heads = ["system", "asked", "tokens kept", "missed by", "unchanged", *map(_words, shares)]
    heads += ["run length", *GATES, "ms / 1k tokens", "p95"]
    rows = []
    for point in found:
        cells = [
            point["system"],
            f"{point['ratio']:.2f}" if point["ratio"] else "–",
            _percent(point["kept"]),
            _percent(point.get("missed")),
            str(point["refused"]),
        ]
        cells += [_percent(point[share][0]) if share in point else "–" for share in shares]
        cells.append(f"{point['run_length']:.1f}" if "run_length" in point else "–")
        cells += [str(point["gates"][gate]) if "run_length" in point else "–" for gate in GATES]
        rows.append([*cells, f"{point['ms_p50']:.2f}", f"{point['ms_p95']:.2f}"])
    return f'<div class="scroll tall">{_cells(rows, heads)}</div>'


def _promises(result: dict[str, Any], found: list[Point]) -> str:
    """What holds, over all ratios, and what the first answer costs."""
    cold, rows = result.get("cold", {}), []
    for name, mine in by_system(found).items():
        first = cold.get(name, {})
        cells = [name]
        for check in CHECKS:
            pairs = [point["checks"][check].split("/") for point in mine if check in point["checks"]]
            cells.append(
                f"{sum(int(a) for a, _ in pairs)} of {sum(int(b) for _, b in pairs)}" if pairs else "–"
            )
        cells += [
            f"{first[key]:,.0f} {unit}" if first else "–"
            for key, unit in (("cpu_ms", "ms"), ("wall_ms", "ms"), ("rss_mb", "MB"))
        ]
        rows.append(cells)
    heads = ["system", *CHECKS, "first answer: CPU", "wall time", "peak memory"]
    return f'<div class="scroll">{_cells(rows, heads)}</div>'


def _problems(result: dict[str, Any]) -> str:
    lines = [f"{name} failed: {error}" for name, error in result["failures"].items()]
    lines += [f"{name} is not here: {why}" for name, why in result.get("missing", {}).items()]
    return "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _latency(found: list[Point], style: Style) -> str:
    """Bars on a logarithmic scale: systems lie three orders of magnitude apart."""
    from math import log10

    worst: dict[str, float] = {}
    for point in found:
        worst[point["system"]] = max(worst.get(point["system"], 0.0), point["ms_p50"])
    low, high = 0.001, max(1.0, *worst.values())
    rows = []
    for at, (name, spent) in enumerate(sorted(worst.items(), key=lambda pair: pair[1])):
        y, width = at * 20, 330 * log10(max(spent, low) / low) / log10(high / low)
        rows.append(f'<text x="0" y="{y + 14}">{html.escape(name)}</text>')
        rows.append(
            f'<rect x="160" y="{y + 3}" width="{max(1, width):.1f}" height="13" fill="{style[name][0]}"/>'
        )
        rows.append(f'<text x="{166 + width:.1f}" y="{y + 14}">{spent:.2f} ms</text>')
    return f'<svg viewBox="0 0 560 {len(worst) * 20 + 4}">{"".join(rows)}</svg>'


def _cases(result: dict[str, Any], texts: dict[str, str]) -> list[dict[str, Any]]:
    """The inputs with, for each system, which words it kept; long texts are cut for the page."""
    by_case: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in result["rows"]:
        if row["id"] in texts:
            by_case[row["id"]].append(row)
    shown: list[dict[str, Any]] = []
    size = 0
    for key in _mixed({key: rows[0]["group"] for key, rows in by_case.items()})[:CASES_SHOWN]:
        item = _case(key, by_case[key], texts.get(key, ""))
        size += len(item["source"]) + sum(
            len(answer["mask"]) + len(answer["text"]) for answer in item["answers"]
        )
        if shown and size > PAGE_CHARS:
            break
        shown.append(item)
    return shown


def _mixed(group_of: dict[str, str]) -> list[str]:
    """Returns case ids so that each group comes up early."""
    queues: dict[str, list[str]] = defaultdict(list)
    for key, group in group_of.items():
        queues[group].append(key)
    mixed: list[str] = []
    while queues:
        for group in list(queues):
            mixed.append(queues[group].pop(0))
            if not queues[group]:
                del queues[group]
    return mixed


def _case(key: str, rows: list[dict[str, Any]], text: str) -> dict[str, Any]:
    source = text[:CHARS_SHOWN]
    pieces = words(source)
    answers = []
    for row in rows:
        mask = aligned(pieces, words(body(row["text"][: 4 * CHARS_SHOWN])))
        answers.append(
            {
                "name": f"{row['system']} {row['ratio'] or ''}".strip(),
                "kept": f"{row['tokens_after']:,} of {row['tokens_before']:,} tokens",
                "mask": "".join("1" if kept else "0" for kept in mask),
                "text": row["text"][:CHARS_SHOWN],
            }
        )
    more = f" (first {CHARS_SHOWN:,} of {len(text):,} characters)" if len(text) > CHARS_SHOWN else ""
    label = f"{rows[0]['group']} · {key}{more}".lstrip(" ·")
    return {"id": label, "source": source, "words": pieces, "answers": answers}
