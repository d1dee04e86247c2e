"""Recognises source code by its line ends and words, and says which language by its marks."""

from __future__ import annotations

from tokenjuice_ml.detection.sample import Sample
from tokenjuice_ml.detection.words import marks, words

# What each language writes and others seldom do; a leading newline means the start of a line.
_MARKS: dict[str, tuple[str, ...]] = {
    "python": marks("__future__|\ndef |    def |self.|\nimport |\nfrom |elif |__init__| None|except |):\n"),
    "ruby": marks("\nend|  end\n|\n  def |\nrequire |attr_| do\n|elsif |puts |.each |nil"),
    "javascript": marks(" => |const |function | === |require(|\nexport |\nimport {|let |this."),
    "typescript": marks(": string|: number|: boolean|interface |readonly |: void|import type| as "),
    "go": marks("\nfunc | := |\npackage |err != nil|fmt.|	type |\nimport (|\ntype |[]"),
    "rust": marks("fn |let mut |\nimpl|::|&self|#[|\nuse |Some(|pub |.unwrap()|&mut |pub fn "),
    "java": marks("public class|\nimport java|private final|@Override|public static|String |new "),
    "csharp": marks("\nusing System|namespace |get; set;|string |public class|async Task|var "),
    "cpp": marks("#include|std::|::|->|nullptr|#define|template|const |uint|size_t|void "),
    "php": marks("<?php|$this->|function |$|namespace |public function|=> "),
    "shell": marks('#!/bin/|\nfi\n|done\n|then\n|$(|"$|${|echo |[[ |set -e|$1'),
    "kotlin": marks("fun |val |override |when (|companion object|: Int|?.|?: |: String"),
    "swift": marks("func |guard let|if let| -> |extension |\nimport |init(|let |self.|var "),
    "css": marks("px;|color:|margin|padding|display:|font-|@media| {\n  |var(--"),
}
# Marks that only one language has, counted threefold.
_SURE = frozenset(
    marks(
        "__future__|fn |pub fn |\nuse |"
        "self.|\ndef |elif |\nend|elsif |attr_| === |: string|: number|\nfunc | := |\npackage |err != nil|"
        "let mut |&self|#[|\nimport java|@Override|\nusing System|get; set;|#include|std::|nullptr|<?php|"
        "$this->|\nfi\n|then\n|fun |companion object|guard let|if let|px;|@media|\nimpl|interface |"
        "extension |override fun|val "
    )
)
_SQL = words("select insert update delete create alter drop from where join left inner")
_SQL_MORE = words("group order values begin commit grant and primary foreign constraint with")
_PHRASES = (
    *(
        "create table",
        "insert into",
        "select ",
        "alter ",
        "drop ",
        "update ",
        "create index",
        "create or replace",
    ),
    *("create function", "create view", "create type", "create operator", "delete from", "comment on"),
)
_DOCKER = frozenset(
    ("FROM", "RUN", "COPY", "ADD", "CMD", "ENTRYPOINT", "ENV", "ARG", "WORKDIR", "EXPOSE", "USER")
)
_WORDS = frozenset(
    words(
        "def class import from return elif except try: else: raise yield async if for while module require "
        "end begin rescue const let var function export await case func package type defer fn pub use mod "
        "impl struct enum trait match static public private protected final throw using namespace fi "
        "#include #define #ifdef #endif template then done else esac echo local val fun override guard "
        "extension interface readonly abstract new delete void int"
    )
)
_ENDS = marks("{|}|;|};|})|)|(|,|[|],|):|->|=>|= [|= {|end|else:|do")
_COMMENTS = ("//", "# ", "/*", "*", "-- ", "<!--", "#!", "##", ";;", '"""', "'''")
_BLOCKS = (
    ('"""', '"""'),
    ('r"""', '"""'),
    ("'''", "'''"),
    ("/*", "*/"),
    ("<!--", "-->"),
    ("=begin", "=end"),
    ("--[[", "]]"),
)
_SHEBANGS = {"python": "python", "node": "javascript", "ruby": "ruby", "perl": "perl", "php": "php"}


def language(sample: Sample) -> tuple[str, str] | None:
    """Returns the language and the evidence."""
    first = sample.full[0]
    if first.startswith("#!"):
        name = (first.rpartition("/")[2].split()[-1:] or [""])[0].rstrip("0123456789.")
        return _SHEBANGS.get(name, "shell"), f"runs with {name}"
    if first.startswith("<?php"):
        return "php", "begins with <?php"
    lines = _without_comments(sample.full)
    judged = [bare for line in lines if (bare := line.strip())]
    if len(judged) < 3:
        return _dense(sample)
    found = _by_statements(judged)
    if found:
        return found
    coded = sum(map(_is_code, judged))
    commented = len(sample.full) - len(judged)
    # Many comments in the style of a language are evidence too.
    if coded < (0.5 if commented < 0.25 * len(sample.full) else 0.4) * len(judged):
        return _dense(sample)
    name, score = _best(lines)
    if score < 4 and coded < 0.8 * len(judged):
        return None
    return (name, f"{coded} of {len(judged)} lines are code, {name} by its marks") if score >= 3 else None


def _without_comments(lines: list[str]) -> list[str]:
    """Returns the lines that are neither comments nor parts of block comments and docstrings."""
    kept: list[str] = []
    end = ""
    for line in lines:
        bare = line.lstrip()
        if end:
            if end in bare:
                end = ""
            continue
        for sign, closer in _BLOCKS:
            if bare.startswith(sign):
                end = "" if closer in bare[len(sign) :] else closer
                break
        else:
            if not bare.startswith(_COMMENTS):
                kept.append(line)
    return kept


def _dense(sample: Sample) -> tuple[str, str] | None:
    """Code squeezed into few long lines."""
    text = "\n".join(sample.full)
    if len(text) < 150 * len(sample.full) or len(text) < 600:
        return None
    signs = sum(map(text.count, "{};()=:"))
    if signs < 0.07 * len(text) or text.count("{") < 3:
        return None
    name, score = _best(sample.full)
    return (name if score >= 3 else "javascript", "dense with brackets") if text.count(";") > 3 else None


def _is_code(bare: str) -> bool:
    if bare.endswith(_ENDS):
        return not (bare[-1] == "," and bare.count(" ") > 6)
    if bare[0] in "\"'" and bare[-1] in "\"'":
        return True
    word, _, rest = bare.partition(" ")
    if word in _WORDS:
        return rest.count(" ") <= 4 or bare[-1] in ":)\"'"
    left, sign, _ = bare.partition(" = ")
    return bool(sign) and left.count(" ") <= 2


def _by_statements(judged: list[str]) -> tuple[str, str] | None:
    """SQL and Dockerfiles: each statement begins with a word of few."""
    judged = [bare for bare in judged if bare.strip()]
    words = [bare.split(None, 1)[0] for bare in judged]
    docker = sum(word in _DOCKER for word in words)
    if docker >= 3 and "FROM" in words[:4] and docker >= 0.3 * len(words):
        return "dockerfile", f"{docker} Dockerfile instructions"
    lowered = [word.lower().rstrip("(;,") for word in words]
    braces = sum(bare[-1] in "{}" for bare in judged)
    starts = sum(word in _SQL[:7] for word in lowered)
    if not starts or braces or not any(";" in bare for bare in judged):
        return None
    if any(bare.startswith(("def ", "import ", "class ", "func ", "package ")) for bare in judged):
        return None
    begun = sum(bare.lower().startswith(_PHRASES) for bare in judged)
    sql = sum(word in _SQL or word in _SQL_MORE for word in lowered)
    ended = sum(bare.endswith((";", ",", "(", ")")) for bare in judged)
    if begun and (sql + ended >= 0.6 * len(judged) or begun >= 4):
        return "sql", f"{sql} of {len(judged)} lines begin with SQL words"
    return None


def _best(lines: list[str]) -> tuple[str, float]:
    """Returns the language with the most marks, and its score."""
    text = "\n" + "\n".join(lines[:60])[:3600]
    best, most = "", 0.0
    for name, own in _MARKS.items():
        score = 0.0
        for mark in own:
            count = text.count(mark)
            if count:
                score += min(count, 6) * (3.0 if mark in _SURE else 1.0)
        if score > most:
            best, most = name, score
    if best == "javascript" and any(
        mark in text for mark in (": string", ": number", ": boolean", "import type ")
    ):
        return "typescript", most
    return best, most
