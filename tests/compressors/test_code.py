from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compressors.markup_context import FIXTURES, context
from tokenjuice_ml.compressors import code
from tokenjuice_ml.compressors.code_languages import EXTENSIONS, LANGUAGES, grammar, guess
from tokenjuice_ml.types import Kind, Reduction

SAMPLES = sorted((FIXTURES / "code").iterdir())
MARK = re.compile(r"… L(\d+)(?:-L(\d+))? …|\[… [\d,]+ lines?, L(\d+)(?:-L(\d+))?[^\]\n]*\]")
# What must stay in each sample, besides its first import.
STAYS = {
    "py": [
        "LIMIT = 3.2",
        "class GaugeError(ValueError):",
        "def load(self) -> int:",
        "def encode(",
        "def test_save(",
    ],
    "ts": ["export interface Reading {", "height: number;", "async load()", 'it("reads all lines"'],
    "tsx": ["type Props", "export function GaugeCard", "const toggle = () => {"],
    "js": ["const defaults", "function load(path) {", "module.exports.average", "module.exports = {"],
    "rs": [
        "pub const LIMIT: f64 = 3.2;",
        "readings: Vec<f64>,",
        "pub fn open(",
        "unsafe {",
        "fn opens_nothing()",
    ],
    "go": ["const Limit = 3.2", "Readings []float64", "func (g *Gauge) Load(", "func TestLoad("],
    "java": ["LIMIT = 3.2", "public Sample(Path path)", "public int load(boolean strict)"],
    "c": ["#define LIMIT 3.2", "double highest;", "static int load("],
    "cpp": ["namespace reed {", "class Gauge {", "T highest() const", "int load("],
    "cs": ["public string Path { get; set; }", "public int Load(bool strict)"],
    "rb": ["LIMIT = 3.2", "class Gauge", "def initialize(path)", "def load"],
    "php": ["const LIMIT = 3.2;", "private array $readings", "public function load("],
    "sh": ["LIMIT=3.2", "load() {", 'load "$@"'],
    "kt": ["const val LIMIT", "fun load(", "val highest"],
    "swift": ["let limit = 3.2", "var readings", "mutating func load("],
    "scala": ["val Limit = 3.2", "def load("],
    "lua": ["M.limit = 3.2", "function M.load("],
    "zig": ["pub const limit", "pub fn load("],
    "ex": ["@limit 3.2", "def load("],
}


def reduce(
    text: str, extension: str | None = None, query: str | None = None, form: str = ""
) -> Reduction | None:
    return code.compress(text, context(text, Kind.CODE, form, extension=extension, query=query))


def need(text: str, extension: str | None = None, query: str | None = None, form: str = "") -> Reduction:
    reduction = reduce(text, extension, query, form)
    assert reduction is not None
    return reduction


def marked(text: str) -> list[tuple[int, int]]:
    found = []
    for match in MARK.finditer(text):
        first, last = match[1] or match[3], match[2] or match[4]
        found.append((int(first), int(last or first)))
    return found


def check_promises(original: str, reduction: Reduction) -> None:
    """Each line is shown, in order, or lies in exactly one counted range that a mark names."""
    lines = original.split("\n")
    folds = [gap for gap in reduction.omissions if gap.lines]
    assert marked(reduction.text) == [(gap.first_line, gap.last_line) for gap in folds]
    gone: set[int] = set()
    for gap in folds:
        rows = set(range(gap.first_line, gap.last_line + 1))
        assert gap.lines == len(rows)
        assert not rows & gone
        gone |= rows
        assert gap.bytes == sum(len(lines[row - 1].encode("utf-8", "surrogatepass")) + 1 for row in rows)
    at = 0
    for number, line in enumerate(lines, 1):
        wanted = line.strip().removeprefix("* ").strip()
        if number in gone or not wanted or len(line) > 1000:
            continue
        found = reduction.text.find(wanted, at)
        assert found >= 0, (number, line)
        at = found


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sample_keeps_its_face_and_folds_its_bodies(path):
    text = path.read_text("utf8")
    reduction = need(text, path.suffix[1:])
    for wanted in STAYS[path.suffix[1:]]:
        assert wanted in reduction.text
    assert len(reduction.text) < len(text)
    assert reduction.lossy
    check_promises(text, reduction)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sample_without_its_file_ending(path):
    text = path.read_text("utf8")
    reduction = need(text)
    check_promises(text, reduction)
    kept = sum(wanted in reduction.text for wanted in STAYS[path.suffix[1:]])
    assert kept >= len(STAYS[path.suffix[1:]]) - 1


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("damage", ["cut", "open", "doubled"])
def test_broken_source_still_keeps_its_promises(path, damage):
    text = path.read_text("utf8")
    broken = {
        "cut": text[: len(text) * 2 // 3],
        "open": "((([[{{\n" + text,
        "doubled": text.replace("}", "}}", 1),
    }
    reduction = reduce(broken[damage], path.suffix[1:])
    if reduction is not None:
        check_promises(broken[damage], reduction)


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_grammar_is_there_and_its_query_compiles(name):
    module = LANGUAGES[name].module
    pytest.importorskip(module)
    assert grammar(name) is not None


def test_an_unknown_grammar_is_no_error(monkeypatch):
    text = (FIXTURES / "code/sample.go").read_text("utf8")
    monkeypatch.setattr("tokenjuice_ml.compressors.code_tree.grammar", lambda name: None)
    reduction = need(text, "go")
    assert "func (g *Gauge) Load(strict bool) (int, error) {… L20-L" in reduction.text
    check_promises(text, reduction)


def test_python_marks_stand_at_the_line_they_belong_to():
    text = (FIXTURES / "code/sample.py").read_text("utf8")
    reduction = need(text, "py")
    assert '    """A tide gauge.""" … L22-L25 …' in reduction.text
    assert "def test_save(tmp_path: Path) -> None: … L73-L76 …" in reduction.text


def test_constructors_fold_as_well():
    text = "class A {\n  constructor() {\n" + "    this.x = 1;\n" * 9 + "  }\n}\n"
    assert need(text, "js").text == "class A {\n  constructor() {… L3-L11 …}\n}\n"


def test_long_comments_and_licences_are_cut_to_their_first_sentence():
    text = (FIXTURES / "code/sample.ts").read_text("utf8")
    body = need(text, "ts").text
    assert body.startswith("/* Copyright 2021 The Reed Authors. */ … L3-L5 …\n")
    assert "/** A tide gauge with its readings. */ … L19-L22 …" in body


def test_notes_errors_and_unsafe_rows_stay():
    body = need((FIXTURES / "code/sample.py").read_text("utf8"), "py").text
    assert "# TODO: understand the old format too" in body
    assert 'raise GaugeError(f"empty line {count}")' in body
    assert (
        "unsafe { *data.get_unchecked(first) }"
        in need((FIXTURES / "code/sample.rs").read_text("utf8"), "rs").text
    )


def test_imports_inside_functions_stay():
    assert "from time import sleep" in need((FIXTURES / "code/sample.py").read_text("utf8"), "py").text


def test_the_body_that_the_query_names_stays_whole():
    text = (FIXTURES / "code/sample.go").read_text("utf8")
    body = need(text, "go", query="what does TestLoad check?").text
    assert "t.Fatal(n, err)" in body
    assert "bufio.NewScanner(file)" not in body
    assert "scanner := bufio.NewScanner(file)" in need(text, "go", query="NewScanner").text


def test_long_literals_fold_and_short_ones_stay():
    text = "TABLE = [\n" + "".join(f"    {i},\n" for i in range(80)) + "]\nSMALL = [\n    1,\n    2,\n]\n"
    reduction = need(text, "py")
    assert "    4,\n    [… 75 lines, L7-L81]\n]" in reduction.text
    assert "SMALL = [\n    1,\n    2,\n]" in reduction.text


def test_macros_keep_their_functions():
    inner = "    pub fn inside() -> u8 {\n" + "        let a = 1;\n" * 6 + "        a\n    }\n"
    text = "cfg_feature! {\n" + inner + "}\n"
    assert need(text, "rs").text == "cfg_feature! {\n    pub fn inside() -> u8 {… L3-L9 …}\n}\n"


def test_a_closing_word_is_no_prefix_of_a_name():
    text = "class A {\n  /**\n   * Finds the least of all the values that are there.\n   * @returns the least one\n"
    text += "   * @throws when it is empty\n   */\n  findMin() {\n    return this.values.sort()[0];\n  }\n}\n"
    assert "… L4-L6 …\n  findMin() {" in need(text, "js").text


def test_one_minified_line_is_clipped():
    text = "function a(){return b+c*d(1,2)};" * 4000
    reduction = need(text, "js")
    assert len(reduction.text) < 1000
    assert reduction.text.startswith("function a(){return b")
    assert reduction.omissions[0].bytes == len(text) - 760


def test_crlf_files_fold_too():
    text = (FIXTURES / "code/sample.go").read_text("utf8").replace("\n", "\r\n")
    assert "{… L20-L" in need(text, "go").text


def test_prose_is_declined():
    assert reduce("Only some words.\nAnd some more.\n" * 3, "py") is None


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_language_is_guessed(path):
    wanted = EXTENSIONS.get(path.suffix[1:])
    close = {"tsx": {"javascript", "typescript"}, "js": {"javascript", "typescript"}, "c": {"c", "cpp"}}
    assert guess(path.read_text("utf8")) in close.get(path.suffix[1:], {wanted}) or wanted is None


def test_markdown_keeps_headings_first_sentences_and_duties():
    prose = (
        "The tool reads files. "
        + "It has a long story that nobody reads. " * 8
        + "You must not run it as root."
    )
    code_rows = "\n".join(f"step {i}" for i in range(20))
    items = "\n".join(f"- point {i}" for i in range(30))
    text = f"# Title\n\n{prose}\n\n```sh\n{code_rows}\n```\n\n{items}\n\n## End\n"
    body = need(text, "md").text
    assert "# Title" in body
    assert "## End" in body
    assert "The tool reads files. … You must not run it as root." in body
    assert "long story" not in body
    assert "step 3\n[… 16 lines, L10-L25]\n```" in body
    assert "- point 9\n[… 18 lines, L38-L55]\n- point 28" in body


def test_yaml_lists_and_scalars_fold():
    items = "".join(f"  - name: job{i}\n    image: x:{i}\n" for i in range(40))
    text = "run: |\n" + "".join(f"  echo {i}\n" for i in range(30)) + f"jobs:\n{items}last: 1\n"
    reduction = need(text, "yaml")
    assert "  echo 3\n  [… 26 lines, L6-L31]\njobs:" in reduction.text
    assert "  - name: job39\n    image: x:39\nlast: 1" in reduction.text
    check_promises(text, reduction)


def test_lock_files_name_every_package():
    text = "version = 3\n\n" + "".join(
        f'[[package]]\nname = "pkg{i}"\nversion = "1.{i}"\nsource = "registry"\n\n' for i in range(40)
    )
    reduction = need(text, "lock")
    assert "37 × [[package]]: pkg3 1.3, pkg4 1.4" in reduction.text
    assert "pkg39 1.39" in reduction.text
    check_promises(text, reduction)


def test_sql_keeps_the_schema_and_folds_rows():
    rows = ",\n".join(f"({i}, 'n{i}')" for i in range(50))
    text = f"CREATE TABLE t (\n  id int,\n  name text\n);\nINSERT INTO t VALUES\n{rows};\nCREATE INDEX x ON t (id);\n"
    body = need(text, "sql").text
    assert body.startswith("CREATE TABLE t (\n  id int,\n  name text\n);\nINSERT INTO t VALUES\n(0, 'n0'),")
    assert "(49, 'n49');\nCREATE INDEX x ON t (id);" in body


def test_dockerfile_makefile_and_css():
    docker = "FROM x\nRUN a \\\n" + "  && b \\\n" * 12 + "  && c\nCMD d\n"
    assert "&& c\nCMD d" in need(docker, form="dockerfile").text
    make = "all: a b\n" + "\techo 1\n" * 9 + "clean:\n\trm x\n"
    assert need(make, form="makefile").text.startswith("all: a b\n\techo 1 … L3-L10 …\nclean:")
    css = ".a {\n" + "  color: red;\n" * 8 + "}\n.b { color: red }\n"
    assert need(css, "css").text == ".a {… L2-L9 …}\n.b { color: red }\n"


def test_notebooks_show_cells_count_outputs_and_keep_errors():
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "Some words."]},
        {
            "cell_type": "code",
            "execution_count": 3,
            "source": "load('kiel')",
            "outputs": [
                {"output_type": "stream", "text": [f"row {i}\n" for i in range(40)]},
                {"output_type": "display_data", "data": {"image/png": "A" * 9000, "text/plain": "<Figure>"}},
                {
                    "output_type": "error",
                    "ename": "ValueError",
                    "evalue": "bad line",
                    "traceback": ["\x1b[31mx\x1b[0m"],
                },
            ],
        },
    ]
    body = need(json.dumps({"cells": cells, "nbformat": 4}), "ipynb").text
    assert "# Tides" in body
    assert "# %% [3]\nload('kiel')" in body
    assert "#> row 5\n[… 34 lines of output]" in body
    assert "[… output image/png: 9,000 chars]" in body
    assert "#! ValueError: bad line\nx" in body


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet=st.sampled_from(list("{}()[]\n\t :;\"'#/*abdef=>")), max_size=400),
    st.sampled_from(sorted(EXTENSIONS)),
)
def test_any_text_keeps_the_promises(text, extension):
    reduction = reduce(text, extension)
    if reduction is not None:
        check_promises(text, reduction)


def test_statements_of_broken_code_that_hold_nothing_are_no_docstrings():
    text = (
        "class A:\nclass A:\n    '''x.'''\n    '''x.'''\n\n\n    def run(self, x):\n"
        "    def run(self, x):\n        y = x\n        return y\n"
    ) * 6
    reduction = reduce(text, "py")
    if reduction is not None:
        check_promises(text, reduction)


@pytest.mark.parametrize("extension", ["py", "ts", "zig", "md", "yaml"])
def test_time_grows_with_the_size_only(extension):
    unit = "def f(a) {\n    x = a + 1\n    y = x * 2\n    return y\n}\n- item: one\n\n"

    def cost(times: int) -> float:
        text = unit * times
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            reduce(text, extension)
            best = min(best, time.process_time() - start)
        return best

    assert cost(16_000) < 9 * cost(4_000) + 0.05


def test_same_input_gives_the_same_output():
    text = (FIXTURES / "code/sample.ts").read_text("utf8")
    assert need(text, "ts") == need(text, "ts")
