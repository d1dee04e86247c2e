from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

from tokenjuice_ml.compressors import diff_parse
from tokenjuice_ml.compressors.diff import compress
from tokenjuice_ml.compressors.diff_locks import changes
from tokenjuice_ml.detection.sample import plain
from tokenjuice_ml.settings import DEFAULTS
from tokenjuice_ml.types import Context, Detection, Kind, Reduction, ToolOutput

FIXTURES = Path(__file__).parent.parent / "fixtures" / "diff"
NAMES = sorted(path.name for path in FIXTURES.iterdir())


def run(text: str, query: str | None = None, budget: int = 0) -> Reduction | None:
    output = ToolOutput(text, query=query)
    return compress(text, Context(output, DEFAULTS, Detection(Kind.DIFF, "", "kind"), None, budget))


def cut(text: str, **options: object) -> Reduction:
    reduction = run(text, **options)  # type: ignore[arg-type]
    assert reduction is not None
    return reduction


def fixture(name: str) -> str:
    return (FIXTURES / name).read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_says_that_it_is_reduced_and_is_smaller(name: str) -> None:
    text = fixture(name)
    reduction = run(text)
    if reduction is None:
        pytest.skip("nothing to leave out")
    assert reduction.lossy
    assert reduction.text.startswith("[… reduced diff, not to be applied: ")
    if len(text) > 2048:
        assert len(reduction.text) < 0.6 * len(text)


@pytest.mark.parametrize("name", NAMES)
def test_every_shown_line_is_the_inputs_own_in_order(name: str) -> None:
    text = fixture(name)
    reduction = run(text)
    shown = iter(plain(line) for line in text.split("\n"))
    for line in (reduction.text if reduction else "").split("\n"):
        assert line.startswith("[…") or line in shown


@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_shown_or_counted(name: str) -> None:
    text = fixture(name)
    reduction = run(text)
    if reduction is None:
        return
    shown = sum(not line.startswith("[…") for line in reduction.text.split("\n"))
    assert shown + sum(gap.lines for gap in reduction.omissions) == text.removesuffix("\n").count("\n") + 1


@pytest.mark.parametrize("name", ["staged.diff", "show.diff", "coloured.diff"])
def test_changed_lines_stay(name: str) -> None:
    body = cut(fixture(name)).text
    for needle in (
        "+    # rounded half up",
        "+    extra = 1",
        "refund below zero",
        "rename from src/pay/refunds.py",
        "rename to src/pay/returns.py",
        "Binary files a/logo.bin and b/logo.bin differ",
        "old mode 100644",
        "new mode 100755",
        "+a new file",
        "deleted file mode",
    ):
        assert needle in body


def test_hunk_headers_stay() -> None:
    text = fixture("staged.diff")
    body = cut(text).text
    for line in text.split("\n"):
        if line.startswith("@@ ") and "def " in line and "_pay" not in line:
            assert line in body or "whitespace only" in body


def test_lock_files_say_what_moved() -> None:
    body = cut(fixture("staged.diff")).text
    assert "crate4 1.4.0 -> 1.5.1" in body
    assert "crate9 1.9.0 -> 2.0.0" in body
    assert "+fresh 0.1.0" in body
    assert "checksum" not in body


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (
            ['   "node_modules/left-pad": {', '-      "version": "1.1.0",', '+      "version": "1.3.0",'],
            "left-pad 1.1.0 -> 1.3.0",
        ),
        (
            ["-lodash@^4.17.0:", "+lodash@^4.17.21:", '-  version "4.17.20"', '+  version "4.17.21"'],
            "lodash 4.17.20 -> 4.17.21",
        ),
        (
            ["-golang.org/x/net v0.1.0 h1:aa=", "+golang.org/x/net v0.2.0 h1:bb="],
            "golang.org/x/net v0.1.0 -> v0.2.0",
        ),
        (["-    rails (7.0.1)", "+    rails (7.1.0)"], "rails 7.0.1 -> 7.1.0"),
        (["-  /chalk@4.1.0:", "+  /chalk@5.0.0:"], "chalk 4.1.0 -> 5.0.0"),
        ([' name = "anyio"', '-version = "4.0"', '+version = "4.1"'], "anyio 4.0 -> 4.1"),
        (
            [
                '             "name": "monolog/monolog",',
                '-            "version": "2.0.0",',
                '+            "version": "2.1.0",',
            ],
            "monolog/monolog 2.0.0 -> 2.1.0",
        ),
    ],
)
def test_lock_formats(lines: list[str], wanted: str) -> None:
    assert wanted in changes(lines)


def test_messages_of_commits_and_mails_stay() -> None:
    assert "Cards: spacing; refunds renamed to returns" in cut(fixture("mail.patch")).text
    body = cut(fixture("log-p.diff")).text
    assert body.count("Author: Ada Example") == fixture("log-p.diff").count("Author: Ada Example")


def test_colours_are_gone() -> None:
    assert "\x1b" not in cut(fixture("coloured.diff")).text


def test_combined_diffs_keep_both_sides() -> None:
    text = "diff --cc a.py\nindex 1,2..3\n--- a/a.py\n+++ b/a.py\n@@@ -1,9 -1,9 +1,10 @@@ def f():\n"
    text += "".join(f"  same {i}\n" for i in range(8)) + "- old ours\n -old theirs\n++merged\n  tail\n"
    body = cut(text).text
    for line in ("- old ours", " -old theirs", "++merged", "@@@ -1,9 -1,9 +1,10 @@@ def f():"):
        assert line in body.split("\n")
    assert "  same 2" not in body


@pytest.mark.parametrize("end", [0.2, 0.5, 0.9])
def test_a_diff_that_breaks_off(end: float) -> None:
    text = fixture("staged.diff")
    text = text[: int(len(text) * end)]
    body = cut(text).text
    for line in text.split("\n")[:-1]:
        if line.startswith("+    "):
            assert line in body or "whitespace only" in body


def test_removed_lines_that_look_like_headers() -> None:
    text = (
        "--- a/q.sql\n+++ b/q.sql\n@@ -1,12 +1,11 @@\n"
        + " select 1;\n" * 9
        + "--- drop it\n+++ keep it\n-x\n select 2;\n"
    )
    body = cut(text).text
    assert "--- drop it" in body
    assert "+++ keep it" in body
    assert "1 file, +1 -2" in body


def test_whitespace_means_something_in_python() -> None:
    hunk = "@@ -1,3 +1,3 @@\n-if a:\n-  b()\n-c()\n+if a:\n+    b()\n+  c()\n"
    for path, gone in (("x.py", False), ("x.c", True)):
        text = f"--- a/{path}\n+++ b/{path}\n{hunk}" + "@@ -20,9 +20,9 @@\n" + " k\n" * 8 + "-1\n+2\n"
        assert ("whitespace only" in cut(text).text) is gone


def test_generated_files_are_counted() -> None:
    text = "diff --git a/dist/app.min.js b/dist/app.min.js\nindex 1..2 100644\n--- a/dist/app.min.js\n+++ b/dist/app.min.js\n"
    text += "@@ -1 +1 @@\n-" + "a" * 3000 + "\n+" + "b" * 3000 + "\n"
    assert "generated, +1 -1" in cut(text).text


def test_a_huge_diff_shows_each_file_and_counts_the_rest() -> None:
    text = "".join(
        f"diff --git a/src/f{n}.c b/src/f{n}.c\nindex 1..2 100644\n--- a/src/f{n}.c\n+++ b/src/f{n}.c\n"
        + f"@@ -1,900 +1,900 @@ int f{n}(void)\n"
        + "".join(f"-old line {n} {i} of many words\n+new line {n} {i} of many words\n" for i in range(300))
        for n in range(40)
    )
    reduction = cut(text)
    assert len(reduction.text) < 90_000
    assert all(f"diff --git a/src/f{n}.c" in reduction.text for n in range(40))
    assert "not shown]" in reduction.text
    assert "new line 39 3 of" in reduction.text


def test_a_diff_of_very_many_files_names_some_and_counts_them() -> None:
    text = "".join(
        f"diff --git a/src/area/f{n}.c b/src/area/f{n}.c\nindex 1..2 100644\n--- a/src/area/f{n}.c\n"
        f"+++ b/src/area/f{n}.c\n@@ -1,2 +1,2 @@\n-old {n}\n+new {n}\n same\n"
        for n in range(9000)
    )
    reduction = cut(text)
    assert len(reduction.text) < 70_000
    assert "9000 files, +9000 -9000" in reduction.text
    assert "more files]" in reduction.text
    shown = sum(not line.startswith("[…") for line in reduction.text.split("\n"))
    assert shown + sum(gap.lines for gap in reduction.omissions) == text.count("\n")


def test_what_the_query_names_is_shown_in_full() -> None:
    text = "".join(
        f"diff --git a/src/f{n}.c b/src/f{n}.c\n--- a/src/f{n}.c\n+++ b/src/f{n}.c\n@@ -1,1 +1,900 @@\n-x\n"
        + "".join(
            f"+line {n} {i} {'needle' if n == 77 and i == 20 else 'straw'} and more words here\n"
            for i in range(40)
        )
        for n in range(100)
    )
    assert "+line 77 20 needle" in cut(text, query="needle").text


@pytest.mark.parametrize("text", ["", "no diff", "@@ not a hunk", "a\n@@ -1 +1 @@ in a log\nb\n" * 3])
def test_what_is_no_diff_is_left_alone(text: str) -> None:
    reduction = run(text)
    assert reduction is None or len(reduction.text) < len(text) + 80


def test_time_grows_with_size_alone() -> None:
    def seconds(times: int) -> float:
        text = fixture("staged.diff") * times
        start = time.process_time()
        run(text)
        return time.process_time() - start

    seconds(1)
    assert seconds(100) < 40 * max(0.002, seconds(10))


def long_diff(count: int) -> str:
    """A new file of `count` lines, then a small change elsewhere."""
    body = [f"+    value_{number} = compute({number}, other={number * 7})" for number in range(count)]
    body[::90] = [f"+def handler_{number}(request):" for number in range(0, count, 90)]
    body[count // 2] = "+    raise PermissionError('token revoked')"
    head = ["diff --git a/new.py b/new.py", "new file mode 100644", "--- /dev/null", "+++ b/new.py"]
    tail = ["diff --git a/old.py b/old.py", "--- a/old.py", "+++ b/old.py", "@@ -10,2 +10,2 @@ def f():"]
    return "\n".join([*head, f"@@ -0,0 +1,{count} @@", *body, *tail, " same", "-    a = 1", "+    a = 2", ""])


@pytest.mark.parametrize("count", [2000, 11_000])
def test_a_large_new_file_is_cut_to_its_ends_and_signals(count: int) -> None:
    text = long_diff(count)
    body = cut(text).text
    assert len(body) < 34_000
    wanted = [
        "handler_0(",
        "handler_900(",
        "token revoked",
        f"value_{count - 1} =",
        "old.py",
        "-    a = 1",
        "+    a = 2",
    ]
    assert [one for one in wanted if one not in body] == []
    hidden = sum(int(line.split()[1].replace(",", "")) for line in body.split("\n") if ": added]" in line)
    assert hidden + body.count("\n+") == count + 1


def test_a_new_file_of_middling_size_stays_whole() -> None:
    body = cut(long_diff(380)).text
    assert "lines, L" not in body
    assert "value_377 =" in body


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("chunk", [1, 300])
def test_a_large_diff_is_cut_as_a_small_one(name: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [fixture(name), fixture(name).replace("\n", "\r\n"), fixture(name)[: -len(fixture(name)) // 3]]
    small = [run(text) for text in texts]
    monkeypatch.setattr(diff_parse, "_LARGE", 0)
    monkeypatch.setattr(diff_parse, "_CHUNK", chunk)
    assert [run(text) for text in texts] == small


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n", "\n\nb", "a\n\n\n", "ä\nbc\n"])
def test_lines_cut_out_when_asked_for_are_those_of_a_split(text: str) -> None:
    lines, split = diff_parse.Lines(text), text.split("\n")
    assert list(lines) == split
    assert len(lines) == len(split)
    assert [end - start - 1 for start, end in pairwise(lines.starts)] == list(map(len, split))
    assert diff_parse.marks_of(lines) == diff_parse.marks_of(split)
    assert [lines[a:b] for a in range(4) for b in range(4)] == [
        split[a:b] for a in range(4) for b in range(4)
    ]
    assert lines[-1] == split[-1]


@pytest.mark.parametrize(
    "hunk",
    [
        "@@ -1,2 +1,2 @@\n a\n-b\n+c",
        "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n",
        "@@ -1,2 +1,2 @@\n a\n-b\n+c\n--- a/next\n+++ b/next\n@@ -1 +1 @@\n-x\n+y\n",
        "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n",
        "@@ -1,9 +1,9 @@\n a\n-b\n+c\ntext\n",
        "@@ -0,0 +1 @@\n+a\n+b\n",
        "@@ -1 +0,0 @@\n-a\n",
    ],
)
def test_hunks_read_by_runs_are_those_read_line_by_line(hunk: str) -> None:
    source = diff_parse.source_of("diff --git a/f b/f\n--- a/f\n+++ b/f\n" + hunk)
    assert diff_parse.files_of(source.lines, source) == diff_parse.files_of(source.lines)
