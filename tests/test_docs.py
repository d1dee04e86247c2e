"""Documents that are made from the code are the code's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tokenjuice_ml.api import HINTS, TokenJuice
from tokenjuice_ml.cli import VERBS
from tokenjuice_ml.cli.config_docs import markdown
from tokenjuice_ml.settings import Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_table_of_settings_is_the_codes():
    assert (DOCS / "SETTINGS.md").read_text("utf-8") == markdown()


def test_the_batch_schemas_have_the_names_of_the_code():
    request = json.loads((DOCS / "batch-request.schema.json").read_text("utf-8"))
    assert set(request["properties"]) == {"id", "text", "path", "base64", "options", *HINTS}
    answer = json.loads((DOCS / "batch-answer.schema.json").read_text("utf-8"))["oneOf"][1]
    text = "\n".join(f"step {n}" for n in range(2000)) + "\nerror: x"
    made = TokenJuice(Settings(savings_enabled=False)).compress(text, command="./x", exit_code=1).to_json()
    assert {"id", *made} - {"detail"} == set(answer["required"])
    assert set(made["omissions"][0]) == set(answer["properties"]["omissions"]["items"]["required"])


@pytest.mark.parametrize("verb", VERBS)
def test_the_readme_names_every_verb(verb):
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    assert f"tj {verb}" in readme or f"`{verb}`" in readme
