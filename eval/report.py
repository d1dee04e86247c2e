"""One self-contained HTML page: curves, latency, and a browser of cases with dropped words greyed."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from eval.summary import area, shares_of
from eval.text import aligned, body, words

PAGE = Path(__file__).resolve().parent / "report.html"
COLOURS = (
    "#2f7d5b",
    "#3563a8",
    "#b5562b",
    "#7a4fa0",
    "#8a7a1f",
    "#1f7f8a",
    "#a33d5e",
    "#56606b",
    "#4c8a2f",
    "#2b6bb5",
)
CASES_SHOWN = 24
CHARS_SHOWN = 6000
WIDTH, HEIGHT, LEFT, BOTTOM = 520, 330, 46, 34


def write(result: dict[str, Any], found: list[dict[str, Any]], texts: dict[str, str], path: Path) -> None:
    """Writes the page.

    Args:
        result: what `run` gave.
        found: its points.
        texts: the inputs by case id, for the browser of cases.
        path: where the page goes.
    """
    names = sorted({point["system"] for point in found})
    colours = {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(names)}
    plots = "".join(_plot(found, share, colours) for share in shares_of(found))
    page = PAGE.read_text("utf-8")
    parts = {
        "TITLE": html.escape(f"{result['data']}: {result['cases']} cases"),
        "FACTS": html.escape(_facts(result)),
        "LEGEND": "".join(
            f'<span><i style="background:{colours[n]}"></i>{html.escape(n)}</span>' for n in names
        ),
        "PLOTS": plots,
        "TABLE": _table(found),
        "LATENCY": _latency(found, colours),
        "CASES": json.dumps(_cases(result, texts), ensure_ascii=False).replace("</", "<\\/"),
    }
    for key, value in parts.items():
        page = page.replace(f"<!--{key}-->", value)
    path.write_text(page, encoding="utf-8")


def _facts(result: dict[str, Any]) -> str:
    machine = result["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    return (
        f"{machine['date']}, commit {machine['commit']}, Python {machine['python']}, {machine['system']}, "
        f"{machine['cores']} cores. Systems: {versions}. Tokens are exact o200k counts; bars are 95 % bootstrap intervals."
    )


def _plot(found: list[dict[str, Any]], share: str, colours: dict[str, str]) -> str:
    """Survival against tokens kept: up and to the left is better."""

    def place(kept: float, value: float) -> tuple[float, float]:
        return LEFT + kept * (WIDTH - LEFT - 10), HEIGHT - BOTTOM - value * (HEIGHT - BOTTOM - 14)

    marks = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{share}">']
    for step in range(0, 11, 2):
        x, y = place(step / 10, step / 10)
        marks.append(f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - 10}" y2="{y:.0f}" class="grid"/>')
        marks.append(f'<text x="{LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{step * 10} %</text>')
        marks.append(f'<text x="{x:.0f}" y="{HEIGHT - 16}" text-anchor="middle">{step * 10} %</text>')
    marks.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 2}" text-anchor="middle">tokens kept</text>')
    for name, colour in colours.items():
        mine = sorted((p["kept"], *p[share]) for p in found if p["system"] == name and share in p)
        if not mine:
            continue
        line = " ".join("{:.1f},{:.1f}".format(*place(kept, value)) for kept, value, _, _ in mine)
        marks.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        for kept, value, low, high in mine:
            (x, y), (_, top), (_, end) = place(kept, value), place(kept, high), place(kept, low)
            title = f"{html.escape(name)}: {100 * kept:.1f} % kept, {share} {100 * value:.1f} %"
            marks.append(
                f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{end:.1f}" stroke="{colour}" opacity=".5"/>'
            )
            marks.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>{title}</title></circle>'
            )
    marks.append("</svg>")
    return f"<section><h2>{share.replace('_', ' ')} against tokens kept</h2>{''.join(marks)}</section>"


def _table(found: list[dict[str, Any]]) -> str:
    shares = shares_of(found)
    heads = [
        "system",
        "ratio",
        "tokens kept",
        "refused",
        *shares,
        *(f"area: {share}" for share in shares[:2]),
    ]
    heads += ["inverted", "split", "fused", "invented", "ms / 1k tokens", "p95"]
    rows = []
    for point in sorted(found, key=lambda point: (point["system"], -point["ratio"])):
        mine = [other for other in found if other["system"] == point["system"]]
        areas = [area(mine, share) for share in shares[:2]]
        cells = [
            html.escape(point["system"]),
            f"{point['ratio']:.2f}" if point["ratio"] else "–",
            f"{100 * point['kept']:.1f} %",
            str(point["refused"]),
        ]
        cells += [f"{100 * point[share][0]:.1f} %" if share in point else "–" for share in shares]
        cells += ["–" if value is None else f"{value:.3f}" for value in areas]
        cells += [str(point["gates"][gate]) for gate in ("inverted", "split", "fused", "invented")]
        cells += [f"{point['ms_p50']:.2f}", f"{point['ms_p95']:.2f}"]
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return (
        "<table><tr>"
        + "".join(f"<th>{head.replace('_', ' ')}</th>" for head in heads)
        + "</tr>"
        + "".join(rows)
        + "</table>"
    )


def _latency(found: list[dict[str, Any]], colours: dict[str, str]) -> str:
    best: dict[str, float] = {}
    for point in found:
        best[point["system"]] = max(best.get(point["system"], 0.0), point["ms_p50"])
    most = max(best.values(), default=1.0) or 1.0
    rows = []
    for at, (name, spent) in enumerate(sorted(best.items(), key=lambda pair: pair[1])):
        y, width = at * 22, 300 * spent / most
        rows.append(
            f'<text x="0" y="{y + 15}">{html.escape(name)}</text><rect x="170" y="{y + 3}" width="{max(1, width):.1f}" height="14" fill="{colours[name]}"/>'
        )
        rows.append(f'<text x="{176 + width:.1f}" y="{y + 15}">{spent:.2f} ms</text>')
    return f'<svg viewBox="0 0 560 {len(best) * 22 + 4}">{"".join(rows)}</svg>'


def _cases(result: dict[str, Any], texts: dict[str, str]) -> list[dict[str, Any]]:
    """The inputs with, for each system, which words it kept; long texts are cut for the page."""
    by_case: dict[str, list[dict[str, Any]]] = {}
    for row in result["rows"]:
        by_case.setdefault(row["id"], []).append(row)
    shown = []
    for key in list(by_case)[:CASES_SHOWN]:
        source = texts.get(key, "")[:CHARS_SHOWN]
        pieces = words(source)
        answers = []
        for row in by_case[key]:
            mask = aligned(pieces, words(body(row["text"])))
            answers.append(
                {
                    "name": f"{row['system']} {row['ratio'] or ''}".strip(),
                    "kept": f"{row['tokens_after']:,} of {row['tokens_before']:,} tokens",
                    "mask": "".join("1" if kept else "0" for kept in mask),
                    "text": row["text"][:CHARS_SHOWN],
                }
            )
        shown.append({"id": key, "source": source, "words": pieces, "answers": answers})
    return shown
