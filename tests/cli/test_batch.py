"""`tj batch`, `reduce`, `retrieve`, `reduce-json`, `config`, `detect` as processes and functions."""

from __future__ import annotations

import base64
import json
import subprocess
import sys

import pytest

from tokenjuice_ml.cli import VERBS, main

LOG = (
    "\n".join(f"step {number} went well" for number in range(900))
    + "\nerror: the one that matters\n"
    + "bye\n" * 5
)


def tj(*words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tokenjuice_ml.cli.main", *words], input=data, capture_output=True, timeout=120
    )


def batch(tmp_path, lines: list[str]) -> tuple[int, list[dict]]:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code = main(["batch", str(source), str(target)])
    return code, [json.loads(row) for row in target.read_text("utf-8").split("\n") if row]


def test_order_ids_and_all_three_sources(tmp_path):
    (tmp_path / "log.txt").write_text(LOG, encoding="utf-8")
    code, answers = batch(
        tmp_path,
        [
            json.dumps({"id": "a", "path": "log.txt", "command": "./build.sh", "exit_code": 1}),
            json.dumps({"text": "small"}),
            json.dumps({"id": 7, "base64": base64.b64encode(LOG.encode()).decode(), "kind": "log"}),
        ],
    )
    assert code == 0
    assert [answer["id"] for answer in answers] == ["a", 2, 7]
    assert "error: the one that matters" in answers[0]["text"]
    assert answers[0]["token"]
    assert answers[0]["tokens_after"] < answers[0]["tokens_before"]
    assert answers[1]["text"] == "small"
    assert answers[1]["reason"] == "too_small"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "not JSON"),
        ("[1]", "object"),
        ('{"text": "x", "surprise": 1}', "surprise"),
        ('{"text": "x", "path": "y"}', "exactly one"),
        ("{}", "exactly one"),
        ('{"path": "nowhere.txt"}', "nowhere.txt"),
        ('{"base64": "***"}', "base64"),
        ('{"text": 5}', "text must be"),
        ('{"text": "x", "kind": "poem"}', "kind must be"),
        ('{"text": "x", "exit_code": "0"}', "exit_code"),
        ('{"text": "x", "argv": "ls"}', "argv"),
        ('{"text": "x", "options": {"nope": 1}}', "nope"),
        ('{"text": "x", "options": {"profile": "fast"}}', "profile"),
        ('{"text": "x", "options": 5}', "options"),
    ],
)
def test_a_bad_line_is_answered_and_the_run_goes_on(tmp_path, line, word):
    code, answers = batch(tmp_path, [line, '{"id": "after", "text": "fine"}'])
    assert code == 1
    assert word in answers[0]["error"]
    assert set(answers[0]) == {"id", "error"}
    assert answers[1]["text"] == "fine"


def test_lone_surrogates_survive_the_way(tmp_path):
    code, answers = batch(tmp_path, ['{"text": "a\\ud800b"}'])
    assert code == 0
    assert answers[0]["text"] in ("a\ud800b", "a\\ud800b")


def test_reduce_prints_what_it_cannot_cut_byte_for_byte():
    data = b"a\xff\xfe\r\nb\x00"
    assert tj("reduce", data=data).stdout == data


def test_reduce_and_retrieve_in_two_processes():
    done = tj("reduce", "--command", "./build.sh", "--exit-code", "1", "--json", data=LOG.encode())
    answer = json.loads(done.stdout)
    token = answer["token"]
    assert tj("retrieve", token).stdout == LOG.encode()
    assert tj("retrieve", token, "--lines", "901-901").stdout == b"error: the one that matters\n"
    assert tj("retrieve", token, "--lines", "-1").stdout == b"bye\n"
    assert tj("retrieve", token, "--bytes", "0-4").stdout == b"step"
    assert b"L901: error: the one that matters" in tj("retrieve", token, "--grep", "MATTERS").stdout


@pytest.mark.parametrize(("token", "word", "code"), [("5" * 27, "expired", 3), ("abc", "not a token", 2)])
def test_retrieve_says_what_is_wrong(token, word, code):
    done = tj("retrieve", token)
    assert done.returncode == code
    assert word in done.stderr.decode()


def test_all_hints_are_flags_of_reduce(capsys):
    from tokenjuice_ml.api import HINTS

    with pytest.raises(SystemExit):
        main(["reduce", "--help"])
    text = capsys.readouterr().out
    for hint in HINTS:
        flag = "--raw" if hint == "bypass" else "--" + hint.replace("_", "-")
        assert flag in text


@pytest.mark.parametrize("verb", [name for name in VERBS if name not in ("serve", "mcp", "eval")])
def test_every_verb_has_help(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        main([verb, "--help"])
    assert stop.value.code == 0
    assert "usage: tj" in capsys.readouterr().out


def test_unknown_verb_suggests_the_nearest(capsys):
    assert main(["reduse"]) == 2
    assert "Did you mean 'reduce'" in capsys.readouterr().err


def test_reduce_json_speaks_the_envelope():
    request = {
        "input": {"toolName": "exec", "command": "./build.sh", "stdout": LOG, "exitCode": 1, "durationMs": 5},
        "options": {"maxInlineChars": 1200},
    }
    answer = json.loads(tj("reduce-json", data=json.dumps(request).encode()).stdout)
    assert "error: the one that matters" in answer["inlineText"]
    assert answer["stats"]["rawChars"] == len(LOG)
    assert answer["stats"]["reducedChars"] == len(answer["inlineText"])
    assert answer["rawRef"]["id"] == answer["tokenjuice"]["token"]
    raw = {**request, "options": {"raw": True}}
    assert json.loads(tj("reduce-json", data=json.dumps(raw).encode()).stdout)["inlineText"] == LOG


@pytest.mark.parametrize(
    ("data", "word"),
    [(b"{", "not JSON"), (b'{"toolName": "exec", "stdout": 3}', "stdout"), (b'{"zip": 1}', "zip")],
)
def test_reduce_json_names_the_bad_field(data, word):
    done = tj("reduce-json", data=data)
    assert done.returncode == 2
    assert word in done.stderr.decode()


def test_config_round_trip(capsys):
    assert main(["config", "set", "ml_target_ratio", "0.4"]) == 0
    assert main(["config", "set", "profile", "light"]) == 0
    assert main(["config", "set", "ml_target_ratio", "0.6"]) == 0
    capsys.readouterr()
    assert main(["config", "get", "ml_target_ratio"]) == 0
    assert capsys.readouterr().out == "0.6\n"
    assert main(["config", "show", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["profile"]["value"] == "light"
    assert shown["profile"]["from"].endswith("config.toml")
    assert shown["tail_lines"]["from"] == "default"
    assert main(["config", "set", "ml_target_ratio", "7"]) == 2
    assert main(["config", "set", "--project", "ccr_dir", "x"]) == 2
