"""`rules/schema.json` and the code know the same fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rules.helpers import RULES
from tests.rules.test_robustness import upstream_rule
from tokenjuice_ml.rules import schema
from tokenjuice_ml.rules.load import _programs, builtin_entries

DOCUMENT: dict[str, Any] = json.loads((RULES / "schema.json").read_text("utf-8"))


def test_same_fields() -> None:
    assert set(DOCUMENT["properties"]) == schema._RULE_KEYS
    assert set(DOCUMENT["$defs"]["match"]["properties"]) == schema._MATCH_KEYS
    assert set(DOCUMENT["$defs"]["block"]["properties"]) == schema._BLOCK_KEYS
    assert DOCUMENT["properties"]["delegate"]["enum"] == list(schema.DELEGATES)
    assert DOCUMENT["properties"]["formatter"]["enum"] == list(schema.FORMATTERS)
    assert DOCUMENT["properties"]["dedupe"]["enum"] == list(schema.DEDUPES)
    assert DOCUMENT["properties"]["prefer"]["enum"] == list(schema.PREFERENCES)


def test_every_field_is_explained() -> None:
    prose = (RULES / "README.md").read_text("utf-8")
    unexplained = schema._RULE_KEYS - {"$schema", "filters", "counterSource"}
    for name in unexplained | schema._MATCH_KEYS | schema._BLOCK_KEYS:
        assert f"`{name}`" in prose or f".{name}`" in prose or f"`{name}," in prose, name


def problems(value: Any, node: dict[str, Any], where: str) -> list[str]:
    """The part of JSON Schema that the document uses."""
    if "$ref" in node:
        return problems(value, DOCUMENT["$defs"][node["$ref"].rsplit("/", 1)[-1]], where)
    if "oneOf" in node:
        tries = [problems(value, choice, where) for choice in node["oneOf"]]
        return [] if any(not found for found in tries) else tries[0]
    if "enum" in node:
        return [] if value in node["enum"] else [f"{where}: {value!r}"]
    if "const" in node:
        return [] if value == node["const"] else [f"{where}: {value!r}"]
    kinds = {
        "string": str,
        "object": dict,
        "array": list,
        "integer": int,
        "boolean": bool,
        "number": (int, float),
    }
    if not isinstance(value, kinds[node["type"]]) or (node["type"] == "integer" and isinstance(value, bool)):
        return [f"{where}: not {node['type']}"]
    if node["type"] == "array":
        return [p for at, item in enumerate(value) for p in problems(item, node["items"], f"{where}[{at}]")]
    if node["type"] == "object":
        known = node["properties"]
        missing = [f"{where}.{key}: missing" for key in node.get("required", ()) if key not in value]
        unknown = [f"{where}.{key}: unknown" for key in value if key not in known]
        inner = [
            p for key in value if key in known for p in problems(value[key], known[key], f"{where}.{key}")
        ]
        return missing + unknown + inner
    return []


@pytest.mark.parametrize("entry", builtin_entries(), ids=lambda entry: entry.id)
def test_built_in_rules_fit_the_schema(entry: Any) -> None:
    assert problems(entry.data, DOCUMENT, "rule") == []


def test_upstreams_rule_fits_too() -> None:
    assert problems(upstream_rule(), DOCUMENT, "rule") == []


def test_built_in_documents_are_what_a_look_at_their_bytes_says() -> None:
    for entry in builtin_entries():
        assert entry.data["id"] == entry.id
        assert entry.programs() == _programs(entry.data["match"])
