from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.compressors import json_samples
from tests.compressors.json_decoder import decode
from tokenjuice_ml.compressors import jsonish_parse
from tokenjuice_ml.compressors.jsonish import compress
from tokenjuice_ml.compressors.jsonish_parse import encode, read
from tokenjuice_ml.settings import Settings
from tokenjuice_ml.tokens import estimate
from tokenjuice_ml.types import Context, Detection, Kind, Reduction, ToolOutput


def run(text: str, budget: int = 0, query: str | None = None, **options: Any) -> Reduction | None:
    output = ToolOutput(text, query=query)
    return compress(
        text, Context(output, Settings(**options), Detection(Kind.JSON, "", "kind"), None, budget)
    )


def cut(text: str, **options: Any) -> Reduction:
    reduction = run(text, **options)
    assert reduction is not None
    return reduction


def raw(text: str) -> Any:
    documents = read(text)
    assert documents is not None
    return documents.values if documents.many else documents.values[0]


@pytest.mark.parametrize(
    "number",
    ["1.10", "1e400", "-0", "-0.0", "123456789012345678901234567890", "1E+5", "0.1000000000000000055"],
)
def test_numbers_keep_their_text(number: str) -> None:
    text = json.dumps({"pad": "x" * 50, "n": 1}, indent=8).replace(" 1\n", f" {number}\n")
    assert f'"n":{number}' in cut(text).text


def test_numbers_keep_their_text_in_a_table() -> None:
    rows = ",\n".join(f'  {{"id": {i}, "price": {i}.10, "big": 1{"0" * 30}{i}}}' for i in range(20))
    reduction = cut(f"[\n{rows}\n]")
    assert not reduction.lossy
    assert "7.10" in reduction.text
    assert f"1{'0' * 30}7" in reduction.text


def test_a_doubled_key_stays_doubled() -> None:
    assert cut('{ "a": 1,   "a": 2,    "b": [ ]   }').text == '{"a":1,"a":2,"b":[]}'


def test_doubled_keys_stay_in_rows_and_cells() -> None:
    rows = ",".join(
        f'{{"id": {i}, "v": {{"k": {i}, "k": 2}}, "w": {{"k": {i % 2}, "k": 2}}}}' for i in range(30)
    )
    text = f'{{"rows": [{rows}, {{"id": 1, "id": 2}}], "more": {{"a": 1, "a": 2}}}}'
    reduction = cut(text, profile="light")
    assert encode(decode(reduction.text)) == encode(raw(text))


def test_key_order_stays() -> None:
    rows = [{"zeta": i, "alpha": i * 2, "mid": i * 3} for i in range(30)]
    assert cut(json.dumps(rows, indent=2)).text.split("\n")[1] == "zeta,alpha,mid"


@pytest.mark.parametrize("name", json_samples.DOCUMENTS)
def test_light_profile_is_reversible(name: str) -> None:
    text = json.dumps(json_samples.DOCUMENTS[name](), indent=2)
    reduction = cut(text, profile="light")
    assert not reduction.lossy
    assert not reduction.omissions
    assert encode(decode(reduction.text)) == encode(raw(text))


@pytest.mark.parametrize("name", json_samples.DOCUMENTS)
def test_large_documents_obey_the_budget(name: str) -> None:
    text = json.dumps(json_samples.DOCUMENTS[name](), indent=1)
    for budget in (400, 1000, 2000):
        reduction = cut(text, budget=budget)
        assert estimate(reduction.text) <= max(budget * 1.2, budget + 180)
        assert reduction.lossy == bool(reduction.omissions)


@pytest.mark.parametrize(
    ("name", "needles"),
    [
        ("pods", ["web-017", "Failed", "CrashLoopBackOff", "web-041"]),
        ("package-lock", ["lockfileVersion", "node_modules/pkg-0", "121 entries"]),
        ("openapi", ["/v1/things0/{id}", "components", "Things"]),
        ("geojson", ["FeatureCollection", "LineString", "stop 0", "81 rows"]),
        ("sarif", ["lintex", "R1,error", "src/mod4.c", "1 × error"]),
        ("har", ["4210.5", "503", "https://shop.example/assets/22.js"]),
        ("cargo-metadata", ["crate12", "GPL-3.0", "workspace_members", "target_directory"]),
        ("terraform", ['["delete","create"]', "web-9", "ami-02"]),
        ("users", ["99999.5", "enterprise", "asked for deletion", "user 0", "user 299"]),
    ],
)
def test_what_matters_survives(name: str, needles: list[str]) -> None:
    body = cut(json.dumps(json_samples.DOCUMENTS[name](), indent=2)).text
    assert [needle for needle in needles if needle not in body] == []


def test_json_lines_keep_the_error_and_say_where_lines_went() -> None:
    text = json_samples.log_lines()
    reduction = cut(text)
    assert "connection refused by db-3:5432" in reduction.text
    assert "399 × info, 1 × error" in reduction.text
    shown = sum(gap.lines for gap in reduction.omissions)
    rows = [line for line in reduction.text.split("\n")[2:] if not line.startswith("[…") or "×" in line]
    assert shown + len(rows) == 400


def test_siblings_of_the_big_array_stay_or_are_counted() -> None:
    document = {
        "items": json_samples.users(),
        "tags": [f"tag{i}" for i in range(400)],
        "total": 300,
        "next": None,
    }
    body = cut(json.dumps(document)).text
    assert '"total":300' in body
    assert '"next":null' in body
    assert "tag0" in body
    assert "items, #" in body


def test_matrix_and_scalar_arrays_are_counted() -> None:
    body = cut(json.dumps({"m": [[i, i + 1, i + 2] for i in range(3000)], "v": list(range(5000))})).text
    assert "[0,1,2]" in body
    assert "4999]" in body
    assert body.count("[… ") >= 2


def test_rows_that_match_the_query_are_kept() -> None:
    rows = json_samples.users()
    rows[150]["name"] = "Grace Hopper"
    assert "Grace Hopper" in cut(json.dumps(rows), query="where is grace hopper", budget=500).text


def test_change_points_are_kept() -> None:
    rows = [{"t": i, "release": "v1" if i < 333 else "v2", "load": i % 7} for i in range(600)]
    assert "\n333,v2," in cut(json.dumps(rows)).text


@pytest.mark.parametrize("end", [0.3, 0.5, 0.77, 0.999])
def test_json_that_breaks_off_is_cut_all_the_same(end: float) -> None:
    text = json.dumps(json_samples.pods(), indent=2)
    body = cut(text[: int(len(text) * end)]).text
    assert "web-000" in body
    assert "[… the JSON breaks off" in body


@pytest.mark.parametrize(
    "text", ["", "   ", "nonsense", "{]", '{"a" 1}', "[1, 2", "[" * 5000, '{"a":' * 3000, '"x"', "7"]
)
def test_what_is_no_json_is_declined_or_kept(text: str) -> None:
    reduction = run(text)
    if reduction is not None:
        assert isinstance(reduction.text, str)


def test_no_control_chars_and_no_half_pairs_come_out() -> None:
    rows = [
        {"id": i, "name": f"\x1b[31m{i}\x00\u2028", "half": "\ud83d", "path": "a/" * 60 + "\x07"}
        for i in range(60)
    ]
    text = json.dumps({"rows": rows})
    for options in ({"profile": "light"}, {"budget": 300}):
        body = cut(text, **options).text
        body.encode("utf-8")
        assert not set(body) & {chr(code) for code in range(32) if chr(code) != "\n"}


def test_documents_in_a_row() -> None:
    one = json.dumps(json_samples.pods(3), indent=2)
    reduction = cut(f"{one}\n{one}\n{one}")
    assert not reduction.lossy
    assert encode(decode(reduction.text)) == encode(raw(f"{one}\n{one}\n{one}"))


def test_strings_that_look_like_values_stay_strings() -> None:
    rows = [
        {"a": value, "b": "x"}
        for value in ("1", "true", "null", "", " x", "a,b", "a|b", "=x", "[1]", "…", "1e5")
    ] * 3
    reduction = cut(json.dumps(rows, indent=4))
    assert not reduction.lossy
    assert decode(reduction.text) == rows


KEYS = st.sampled_from(["id", "name", "a.b", "x=y", "ü", "", "tags", "k,v", "[0]", "n o"])
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False), st.text(max_size=12)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=40,
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(0, 99), "name": st.text(max_size=6)}, optional={"x": VALUES, "a.b": LEAVES}
    ),
    min_size=3,
    max_size=30,
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(VALUES, ROWS, st.dictionaries(KEYS, ROWS, max_size=3)))
def test_any_json_comes_back_equal(value: Any) -> None:
    text = json.dumps(value, indent=2)
    reduction = run(text, profile="light")
    assert reduction is not None
    assert encode(decode(reduction.text)) == encode(raw(text))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, st.integers(20, 300))
def test_any_cut_counts_its_rows(rows: list[Any], budget: int) -> None:
    body = cut(json.dumps(rows * 4), budget=budget)
    if not body.lossy or not body.text.startswith("[… table, "):
        return
    total = int(body.text.split()[2])
    gone = sum(int(line.split()[1]) for line in body.text.split("\n")[2:] if line.startswith("[… "))
    shown = sum(not line.startswith("[… ") for line in body.text.split("\n")[2:])
    assert shown + gone == total == len(rows) * 4


def _seconds(text: str) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        run(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: json.dumps(json_samples.users(n // 80), indent=2),
        lambda n: json_samples.log_lines(n // 110),
        lambda n: json.dumps({"text": "word " * (n // 5)}),
        lambda n: json.dumps(list(range(n // 6))),
        lambda n: "[" + "0,\n" * (n // 3),
        lambda n: '{"a":"' + "\\" * (n - 7),
    ],
    ids=["rows", "lines", "string", "numbers", "cut", "backslashes"],
)
def test_time_grows_with_size_alone(make: Callable[[int], str]) -> None:
    small, large = _seconds(make(100_000)), _seconds(make(1_000_000))
    assert large < 50 * max(small, 0.005)


@pytest.mark.parametrize("make", [json_samples.pods, lambda: [{"a": "1", "b": 1, "c": 1.10}] * 9])
def test_a_large_document_is_read_as_a_small_one(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = make()
    texts = [
        json.dumps(rows, indent=1),
        "\n".join(json.dumps(row) for row in [rows, rows]),
        '{"a":1,"a":"1"}',
    ]
    small = [read(text) for text in texts]
    monkeypatch.setattr(jsonish_parse, "_LARGE", 0)
    large = [read(text) for text in texts]
    assert [repr(found) for found in large] == [repr(found) for found in small]
    # A number that is spelled like a word stays a number.
    assert [encode(found.values) for found in large if found] == [
        encode(found.values) for found in small if found
    ]


@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n \n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_lines_of_json_are_numbered_as_they_stand(gap: str, end: str) -> None:
    text = '{"a":1}' + "\n" + '{"a":2}' + gap + '{"a":"x, y"}' + end
    documents = read(text)
    assert documents is not None
    assert documents.many
    assert documents.values == [{"a": "1"}, {"a": "2"}, {"a": "x, y"}]
    rows = [row.strip() for row in text.split("\n")]
    assert documents.lines == [number for number, row in enumerate(rows, 1) if row]


def test_a_string_that_is_never_closed_is_read_once() -> None:
    text = '{"a": [1, 2, 3], "b": "' + '\\"' * 200_000
    start = time.process_time()
    document = jsonish_parse.read(text)
    # Tried again from each quote inside it, this took a quarter of an hour.
    assert time.process_time() - start < 5
    assert document is not None
    assert document.values == [{"a": ["1", "2", "3"]}]


@pytest.mark.parametrize("text", ["[1, 2]", "[1, 2", "no JSON", '{"a": 1}\n{"a": 2}\n'])
@pytest.mark.parametrize("collects", [True, False])
def test_reading_leaves_the_collector_as_it_was(text: str, collects: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        read(text)
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()
