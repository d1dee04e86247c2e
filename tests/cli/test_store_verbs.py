"""``tj retrieve``, ``tj cache`` and ``tj stats`` in one process, on a store with one original."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tokenjuice_ml.api import TokenJuice
from tokenjuice_ml.cli import cache, retrieve, stats
from tokenjuice_ml.errors import RequestError
from tokenjuice_ml.settings import Settings

LOG = "\r\n".join(f"step {n} went well" for n in range(1500)) + "\r\nerror: the one that matters\r\n\xff"


@pytest.fixture
def token():
    raw = LOG.encode("latin-1")
    return TokenJuice(Settings(), disk=True).compress(raw, command="make", exit_code=2, model="gpt-5").token


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        ([], LOG.encode("latin-1")),
        (["--lines", "1501"], b"error: the one that matters\r\n"),
        (["--lines", "-2"], b"error: the one that matters\r\n\xff"),
        (["--lines", "-3--2"], b"step 1499 went well\r\nerror: the one that matters\r\n"),
        (["--lines", "L1500-"], b"step 1499 went well\r\nerror: the one that matters\r\n\xff"),
        (["--bytes", "0-4"], b"step"),
        (["--bytes", "-3"], b"\r\n\xff"),
        (["--bytes", "3"], b"p"),
        (["--around", "1501", "--context", "0", "--numbers"], b"L1501: error: the one that matters\r\n"),
        (["--grep", "MATTERS$", "--context", "0"], b"L1501: error: the one that matters\n"),
        (["--grep", "t.at matt", "--context", "0"], b"L1501: error: the one that matters\n"),
    ],
)
def test_retrieve(token, flags, wanted, capfdbinary):
    assert retrieve.run([token, *flags]) == 0
    assert capfdbinary.readouterr().out == wanted


def test_retrieve_a_page_and_as_json(token, capfdbinary):
    assert retrieve.run([f"⟦tj:{token}⟧", "--page"]) == 0
    assert capfdbinary.readouterr().out.endswith(b"[\xe2\x80\xa6 1,102 more lines; ask for L401-L1502]\n")
    assert retrieve.run([token, "--lines", "2-3", "--json"]) == 0
    answer = json.loads(capfdbinary.readouterr().out)
    assert (answer["first_line"], answer["last_line"], answer["total_lines"]) == (2, 3, 1502)


@pytest.mark.parametrize(
    ("name", "words", "code"),
    [("../../etc/passwd", "not a token", 2), ("7" * 27, "stays valid", 3), ("", "not a token", 2)],
)
def test_what_is_not_there(token, name, words, code, capfd):
    assert retrieve.run([name]) == code
    assert words in capfd.readouterr().err
    assert retrieve.run([name, "--json"]) == code
    assert words in json.loads(capfd.readouterr().out)["error"]


def test_a_bad_range(token):
    with pytest.raises(RequestError, match="--lines wants A-B"):
        retrieve.run([token, "--lines", "a-b"])


@pytest.mark.parametrize("flags", [["--lines", "9-3"], ["--lines", "-2--5"], ["--bytes", "40-0"]])
def test_a_reversed_range_is_an_error_and_not_an_empty_answer(token, flags):
    with pytest.raises(RequestError, match="ends before it starts"):
        retrieve.run([token, *flags])


def test_cache(token, capfd, monkeypatch):
    assert cache.run(["stats"]) == 0
    assert "disk: 1 originals of at most 20,000" in capfd.readouterr().out
    assert cache.run(["stats", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["disk"]["entries"] == 1
    assert cache.run(["gc", "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == {"removed": 0}
    assert cache.run(["clear"]) == 0
    assert capfd.readouterr().out == "removed 1 originals\n"
    assert retrieve.run([token]) == 3
    assert "expired or was evicted" in capfd.readouterr().err
    monkeypatch.setenv("TOKENJUICE_CCR_ENABLED", "0")
    with pytest.raises(RequestError, match="off"):
        cache.run(["stats"])


def test_stats(token, capfd):
    retrieve.run([token, "--lines", "1-50"])
    capfd.readouterr()
    assert stats.run(["--json", "--host-limit", "1000"]) == 0
    report = json.loads(capfd.readouterr().out)
    assert report["total"]["tokens_before"] == 1000
    assert report["total"]["tokens_retrieved"] > 100
    assert set(report["by"]) == {"compressor", "rule", "family", "model", "day"}
    assert report["by"]["family"]["make"]["events"] == 1
    assert stats.run(["--csv", "--by", "model"]) == 0
    rows = list(csv.DictReader(io.StringIO(capfd.readouterr().out)))
    assert [row["model"] for row in rows] == ["gpt-5"]
    assert stats.run([]) == 0
    assert "input prices as of" in capfd.readouterr().out
    assert stats.run(["reset"]) == 0
    assert capfd.readouterr().out == "removed 1 events\n"
