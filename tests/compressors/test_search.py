from __future__ import annotations

import time
from pathlib import Path

import pytest

from tokenjuice_ml.command import Command
from tokenjuice_ml.compressors.search import compress
from tokenjuice_ml.compressors.search_paths import unfold
from tokenjuice_ml.compressors.search_words import is_definition
from tokenjuice_ml.detect import detect
from tokenjuice_ml.settings import DEFAULTS, Settings
from tokenjuice_ml.types import Context, Kind, Reduction, ToolOutput

FIXTURES = Path(__file__).parent.parent / "fixtures" / "search"


def run(text: str, command: Command | None = None, budget: int = 0, **hints: str) -> Reduction | None:
    output = ToolOutput(text, **hints)  # type: ignore[arg-type]
    settings = Settings(profile="light") if budget < 0 else DEFAULTS
    return compress(text, Context(output, settings, detect(output, command), command, max(0, budget)))


def cut(text: str, **options: object) -> Reduction:
    reduction = run(text, **options)  # type: ignore[arg-type]
    assert reduction is not None
    return reduction


def fixture(name: str) -> str:
    return (FIXTURES / name).read_text("utf-8")


def ungroup(body: str) -> str:
    """Turns results grouped by file back into ``path:line:text``."""
    lines, path = [], ""
    for line in body.split("\n"):
        number, sign, _ = line.partition(":")
        if sign and number.isdecimal():
            lines.append(f"{path}:{line}")
        else:
            path = line
    return "\n".join(lines)


@pytest.mark.parametrize(
    "name",
    [
        "grep-n.txt",
        "grep-context.txt",
        "grep-c.txt",
        "git-grep.txt",
        "heading.txt",
        "grep-plain.txt",
        "rg.jsonl",
        "vimgrep.txt",
        "heading-context.txt",
    ],
)
def test_each_layout_is_seen_and_read(name: str) -> None:
    text = fixture(name)
    hints = {"tool": "grep"} if name == "grep-plain.txt" else {}
    output = ToolOutput(text, **hints)  # type: ignore[arg-type]
    assert detect(output, None).kind is Kind.SEARCH
    reduction = cut(text, **hints)
    assert "src/cart/basket.py" in reduction.text or "src/pay" in reduction.text or "basket" in reduction.text
    if len(text) > 5000:
        assert len(reduction.text) < 0.75 * len(text)


def test_a_few_hits_are_grouped_and_can_be_ungrouped() -> None:
    text = fixture("grep-n.txt")
    reduction = cut(text, budget=-1)
    assert not reduction.lossy
    assert ungroup(reduction.text) == text.rstrip("\n")


def test_hits_are_counted_or_shown() -> None:
    text = "".join(
        f"src/area{n % 30}/file{n % 90}.rs:{n}:    let value_{n} = compute_something(other, {n}, flag);\n"
        for n in range(900)
    )
    reduction = cut(text)
    assert reduction.text.startswith("[… 900 hits in 90 files, by file]")
    shown = [line for line in reduction.text.split("\n") if line.partition(":")[0].isdecimal()]
    assert len(shown) + sum(gap.lines for gap in reduction.omissions) == 900
    assert all(f"src/area{n % 30}/file{n}.rs" in reduction.text for n in range(90))


def test_very_many_files_are_counted_by_folder() -> None:
    text = "".join(
        f"src/area{n // 40}/file{n}.rs:{n % 90 + 1}:    let value = other({n});\n" for n in range(20_000)
    )
    reduction = cut(text.replace("let value = other(777)", "fn seventh() {"))
    assert "fn seventh" in reduction.text
    assert "more files: src/area" in reduction.text
    assert 8000 < len(reduction.text) < 40_000


def test_lines_around_hits_are_shown_where_there_is_room() -> None:
    text = fixture("grep-context.txt")
    body = cut(text).text
    assert "by file]" in body
    assert "context lines" in body
    small = "\n".join(text.split("\n")[:60])
    body = cut(small).text
    assert [line for line in body.split("\n") if line.partition("-")[0].isdecimal()]


def test_the_best_hits_show_the_lines_around_them_where_hits_are_many() -> None:
    lines: list[str] = []
    for number in range(2, 2000, 5):
        hit = "def retry(count):" if number == 1502 else f"    retry({number})  # and go on with it"
        lines += [
            f"src/a.py-{number - 1}-    before = {number}",
            f"src/a.py:{number}:{hit}",
            f"src/a.py-{number + 1}-    after = {number}",
            "--",
        ]
    body = cut("\n".join(lines), query="retry").text
    assert "\n1501- before = 1502\n1502: def retry(count):\n1503- after = 1502\n" in body


def test_definitions_come_before_uses() -> None:
    lines = [f"src/a.py:{n}:    total = price({n})  # use number {n} of the price" for n in range(1, 500)]
    lines[400] = "src/a.py:401:def price(item):"
    assert "401: def price(item):" in cut("\n".join(lines), query="price").text


def test_query_dense_lines_come_first() -> None:
    lines = [f"src/a.py:{n}:    retry = policy.next({n}) or something else entirely" for n in range(1, 600)]
    lines[444] = "src/a.py:445:    backoff = retry.jitter(budget)"
    assert "445: " in cut("\n".join(lines), query="retry jitter budget").text


def test_long_lines_are_cut_around_the_match() -> None:
    text = "\n".join(f"dist/app{n}.js:1:{'x' * 5000}needle({n}){'y' * 9000}" for n in range(40))
    body = cut(text, query="needle").text
    assert "needle(7)" in body
    assert len(body) < 12_000


def test_the_rest_is_listed_by_line_number() -> None:
    text = "".join(f"src/a.py:{n}:    something {n} {'and more of it ' * 4}\n" for n in range(10, 400))
    body = cut(text).text
    assert "more: " in body
    assert "to 399]" in body


def test_timestamps_are_no_hits() -> None:
    text = "".join(f"12:{n % 60:02d}:07 worker started job {n}\n" for n in range(80))
    assert detect(ToolOutput(text), None).kind is Kind.LOG


def test_compiler_messages_are_no_hits() -> None:
    text = "".join(f"src/a.c:{n}:5: error: unknown type name 'x{n}'\n" for n in range(80))
    assert detect(ToolOutput(text), None).kind is Kind.LOG


def test_paths_with_blanks_and_drives() -> None:
    text = "".join(f"C:\\work\\my app\\file{n % 5}.cs:{n}:int value = {n};\n" for n in range(1, 90))
    assert "C:\\work\\my app\\file3.cs" in cut(text).text


def test_grep_c_counts_what_has_none() -> None:
    text = "".join(f"src/f{n}.py:{n % 4 and 0}\n" for n in range(100)) + "src/top.py:977\n"
    body = cut(text.replace(":0\n", ":0\n")).text
    assert "src/top.py:977" in body
    assert "of 101 files]" in body


def test_lists_of_paths_name_each_folder_once() -> None:
    paths = [f"src/area{n // 20}/deep/module_{n}.py" for n in range(100)]
    reduction = cut("\n".join(paths))
    assert not reduction.lossy
    assert unfold(reduction.text) == paths
    assert len(reduction.text) < 0.6 * len("\n".join(paths))


def test_deep_lists_become_a_tree() -> None:
    paths = [
        f"packages/backend/services/area{n // 3}/handlers/version{n % 3}/module_{n}.py" for n in range(60)
    ]
    reduction = cut("\n".join(paths))
    assert unfold(reduction.text) == paths
    assert not reduction.lossy
    assert reduction.text.count("packages/backend") == 1


def test_names_with_blanks_come_back() -> None:
    paths = [f"docs/part {n}/a file {n}.txt" for n in range(60)] + ["top.txt", "/abs/x", "/abs/y"]
    reduction = cut("\n".join(paths))
    assert sorted(unfold(reduction.text)) == sorted(paths)


def test_long_lists_of_paths_are_counted_by_folder() -> None:
    paths = [f"node_modules/pkg{n % 700}/lib/part{n}.js" for n in range(6000)]
    reduction = cut("\n".join(sorted(paths)))
    assert reduction.lossy
    assert "[… 6000 paths in 700 folders]" in reduction.text
    assert len(reduction.text) < 12_000


def test_recursive_listings() -> None:
    text = "".join(f"./dir{n}:\n" + "".join(f"file{i}.txt\n" for i in range(12)) + "\n" for n in range(12))
    assert detect(ToolOutput(text), None).format == "ls-r"
    body = cut(text).text
    assert "./dir11/: file0.txt" in body


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("class Basket:", True),
        ("    async def add(self):", True),
        ("export default function App() {", True),
        ("func (s *Server) Run() error {", True),
        ("pub(crate) struct Row {", True),
        ("impl<T> Iterator for Rows<T> {", True),
        ("#define MAX 3", True),
        ("return classify(x)", False),
        ("type = 3", False),
        ("// def of done", False),
    ],
)
def test_definitions(line: str, wanted: bool) -> None:
    assert is_definition(line) is wanted


@pytest.mark.parametrize("text", ["", "\n\n", "one line", "a:1:b", ":::::", "x" * 5000, "--\n" * 50])
def test_odd_input_never_raises(text: str) -> None:
    run(text)


def test_time_grows_with_size_alone() -> None:
    def seconds(times: int) -> float:
        text = "".join(
            f"src/f{n // 9}.py:{n}:    value = compute({n}, name, other)\n" for n in range(1000 * times)
        )
        start = time.process_time()
        run(text)
        return time.process_time() - start

    seconds(1)
    assert seconds(50) < 30 * max(0.002, seconds(5))


@pytest.mark.parametrize(
    ("line", "defines"),
    [
        ("const LIMIT: usize = 100;", True),
        ("export const retries = 3;", True),
        ("static NAME: &str = 1;", True),
        ("pub const fn size() -> usize {", True),
        ("const = 3", False),
        ("public: int x;", False),
    ],
)
def test_constants_are_definitions(line: str, defines: bool) -> None:
    assert is_definition(line) is defines
