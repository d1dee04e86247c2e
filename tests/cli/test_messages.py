"""What the command line says when something is wrong: once, and what to do."""

from __future__ import annotations

import json

from tokenjuice_ml.cli import main


def test_a_bad_value_names_the_verb_once(capfd):
    assert main(["config", "set", "min_bytes_to_compress", "abc"]) == 2
    assert capfd.readouterr().err == (
        "tj config: set: 'min_bytes_to_compress' must be a whole number, not 'abc'\n"
    )


def test_explain_says_that_a_projects_rules_are_not_trusted(capfd, tmp_path, monkeypatch):
    rule = {"id": "build/frob", "family": "build", "match": {"argv0": ["frob"]}}
    folder = tmp_path / ".tokenjuice" / "rules"
    folder.mkdir(parents=True)
    (folder / "frob.json").write_text(json.dumps(rule))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert main(["rules", "explain", "frob"]) == 3
    assert "not trusted, not used; run `tj rules trust`" in capfd.readouterr().out
    assert main(["rules", "trust"]) == 0
    assert main(["rules", "explain", "frob"]) == 0
    assert "not trusted" not in capfd.readouterr().out
    (folder / "frob.json").write_text(json.dumps({**rule, "description": "changed"}))
    assert main(["rules", "explain", "frob"]) == 3
    assert "not trusted" in capfd.readouterr().out


def test_the_prompt_explains_each_form_of_a_left_out_line(capfd):
    assert main(["prompt"]) == 0
    said = capfd.readouterr().out
    assert all(form in said for form in ("`[…`", "… L40-L88 …", "[… 400× L7-L812]", "[partial view of"))
