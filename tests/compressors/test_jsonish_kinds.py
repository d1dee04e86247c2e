"""What an agent needs of common kinds of JSON is there, and what nobody reads is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.compressors import json_kinds
from tokenjuice_ml import compress
from tokenjuice_ml.compressors.jsonish_text import brief, is_opaque, text_of

FIXTURE = Path(__file__).parents[1] / "fixtures" / "rules" / "openclaw" / "sessions-history" / "history.in"


def shown(value: Any, **hints: Any) -> str:
    """Returns what comes of a document, quotes inside cells left as they were."""
    return compress(json.dumps(value, indent=2), kind="json", **hints).text.replace('\\"', '"')


@pytest.mark.parametrize("make", json_kinds.NEEDED, ids=lambda make: make.__name__)
def test_what_an_agent_needs_is_there(make: Callable[[], Any]) -> None:
    text = json.dumps(make(), indent=2)
    result = compress(text, kind="json")
    body = result.text.replace('\\"', '"')
    assert [needle for needle in json_kinds.NEEDED[make] if needle not in body] == []
    assert result.tokens_after <= 0.3 * result.tokens_before
    assert result.tokens_after <= 2000


def payments() -> list[dict[str, Any]]:
    """Payments of which one failed, with ids that say nothing."""
    return [
        {
            "id": 4100 + number,
            "amount": 500 + 37 * number % 9000,
            "status": "failed" if number == 93 else "succeeded",
            "customer": {"id": f"cus_{1000 + number * 7919 % 9000}", "country": "PL" if number % 3 else "NL"},
            "created": f"2026-03-{1 + number // 24:02}T{number % 24:02}:14:05Z",
            "failure": {"code": "insufficient_funds", "message": "Not enough money."}
            if number == 93
            else None,
        }
        for number in range(180)
    ]


def test_a_row_that_stands_out_shows_its_nested_values() -> None:
    row = next(line for line in shown(payments()).split("\n") if line.startswith("4193"))
    assert "insufficient_funds" in row
    assert "Not enough money." in row


def test_ids_are_not_listed_in_gaps_and_times_stay() -> None:
    body = shown(payments())
    gaps = [line for line in body.split("\n") if line.startswith("[…") and "rows, #" in line]
    assert gaps
    assert not any("cus_" in line for line in gaps)
    assert "2026-03-01T00:14:05Z" in body
    assert "amount" in body.split("\n")[1]


def test_a_list_of_tools_names_the_parameters_of_each() -> None:
    names = ("owner", "repo", "title", "labels", "page", "per_page", "branch", "path")
    tools = [
        {
            "name": f"tool_{number}",
            "description": f"Does the work of tool {number} for whoever asks for it, and says so at length. "
            * 2,
            "inputSchema": {
                "type": "object",
                "properties": {
                    name: {"type": "string", "description": f"The {name} to use with it, in plain words"}
                    for name in names[number % 4 : number % 4 + 5]
                },
            },
        }
        for number in range(60)
    ]
    body = shown({"tools": tools})
    assert body.count("{title,labels,page,per_page,branch}") == 15


def test_names_are_listed_in_gaps() -> None:
    rows = [
        {"name": f"billing-{word}", "text": "many words that say little " * 20, "n": word}
        for word in "abcdefghijklmnopqrstuvwxyz" * 2
    ]
    body = shown([{**row, "name": f"{row['name']}-{i // 26}"} for i, row in enumerate(rows)])
    assert "billing-q-0" in body
    assert "billing-z-1" in body


def test_a_session_keeps_what_was_said() -> None:
    body = compress(FIXTURE.read_text("utf8"), tool="sessions_history").text
    assert "Blocked: the deploy key for staging was revoked" in body
    assert "Step 0: checked order export 0." in body


def test_a_long_session_keeps_its_ends_whole_and_its_signals() -> None:
    first = (
        "Please move the billing service to the new cluster before the fair opens on the ninth of May, " * 2
    )
    last = (
        "The move is done; the old cluster stays up until Friday because two reports still read from it. " * 2
    )
    middle = "Nothing of note happened in this step and so it goes on and on. " * 6
    said = [first] + [middle] * 70 + [last]
    said[40] = "The import was denied: quota of project delta is used up."
    messages = [
        {
            "role": ("user", "assistant")[i % 2],
            "id": f"msg_{i * 7919:09x}",
            "content": [{"type": "text", "text": t}],
        }
        for i, t in enumerate(said)
    ]
    body = shown({"messages": messages})
    assert first.strip()[:170] in body
    assert last.strip()[:170] in body
    assert "quota of project delta is used up" in body
    assert "msg_0000" not in body


def test_text_of_blocks() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image", "source": "x"}]
    assert text_of(blocks) == "a\nimage"
    assert (
        text_of({"type": "doc", "content": [{"type": "p", "content": [{"type": "text", "text": "b"}]}]})
        == "b"
    )
    assert text_of(["no", "op"]) is None
    assert text_of([{"type": "Ready", "status": "True"}]) is None


def test_brief_is_short_and_tells_how_much_is_missing() -> None:
    value = {"self": "https://x.example", "name": "Ana", "notes": ["long " * 90] * 3}
    assert brief(value, 30).startswith("{name:Ana")
    assert "…+" in brief(value, 30)
    assert len(brief(value, 120)) < 200


def test_opaque() -> None:
    assert is_opaque(["cus_28561", "cus_99123"])
    assert not is_opaque(["billing", "web-server"])


def test_a_chat_says_who_spoke_and_what_was_called() -> None:
    body = shown(json_kinds.openai())
    header = next(line for line in body.split("\n") if line.startswith("role"))
    assert "content" in header
    assert "system,You are a careful billing helper" in body.replace("|", ",")
    assert "function lookup_invoice" in body
