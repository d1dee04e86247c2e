"""What media types, file extensions, tools and commands say about a text. Tables only."""

from __future__ import annotations

from tokenjuice_ml import command_tables
from tokenjuice_ml.command import Command
from tokenjuice_ml.detection.words import words
from tokenjuice_ml.record import Record
from tokenjuice_ml.types import Kind


class Hint(Record):
    """A kind that somebody's word stands for.

    Attributes:
        kind: the kind.
        format: the finer format, "" when unknown.
        evidence: the word, e.g. ``"extension json"``.
        weak: True when a clear structure may overrule it.
    """

    kind: Kind
    format: str
    evidence: str
    weak: bool = False


SHELL_TOOLS = command_tables.SHELL_TOOLS | {"run_shell_command"}
# Formats that a look at the text can refine.
BROAD = frozenset(("json", "xml", "unified", "grep", "log"))

_LANGUAGES = {
    "python": "py pyi pyw python",
    "javascript": "js jsx mjs cjs javascript",
    "typescript": "ts mts cts typescript",
    "tsx": "tsx",
    "rust": "rs rust",
    "go": "go",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh hxx c++ ino cu",
    "csharp": "cs csharp",
    "ruby": "rb ruby gemspec rake",
    "php": "php",
    "shell": "sh bash zsh ksh fish shellscript",
    "kotlin": "kt kts kotlin",
    "swift": "swift",
    "scala": "scala sc",
    "sql": "sql",
    "perl": "pl pm perl",
    "lua": "lua",
    "r": "r",
    "dart": "dart",
    "elixir": "ex exs elixir",
    "haskell": "hs",
    "zig": "zig",
    "css": "css scss less sass",
    "vue": "vue svelte",
    "proto": "proto",
    "terraform": "tf tfvars hcl",
    "graphql": "graphql gql",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf properties env",
    "dockerfile": "dockerfile containerfile",
    "makefile": "mk makefile",
    "notebook": "ipynb",
}
_EXTENSIONS: dict[str, tuple[Kind, str]] = {
    name: (Kind.CODE, language) for language, names in _LANGUAGES.items() for name in names.split()
}
_EXTENSIONS |= {
    "json": (Kind.JSON, "json"),
    "json5": (Kind.JSON, "json"),
    "geojson": (Kind.JSON, "json"),
    "sarif": (Kind.JSON, "json"),
    "har": (Kind.JSON, "json"),
    "webmanifest": (Kind.JSON, "json"),
    "tfstate": (Kind.JSON, "json"),
    "jsonl": (Kind.JSON, "jsonl"),
    "ndjson": (Kind.JSON, "jsonl"),
    "html": (Kind.HTML, "html"),
    "htm": (Kind.HTML, "html"),
    "xhtml": (Kind.HTML, "html"),
    "xml": (Kind.HTML, "xml"),
    "xsd": (Kind.HTML, "xml"),
    "pom": (Kind.HTML, "xml"),
    "csproj": (Kind.HTML, "xml"),
    "plist": (Kind.HTML, "xml"),
    "rss": (Kind.HTML, "rss"),
    "atom": (Kind.HTML, "rss"),
    "svg": (Kind.HTML, "svg"),
    "diff": (Kind.DIFF, "unified"),
    "patch": (Kind.DIFF, "unified"),
    "log": (Kind.LOG, "log"),
    "out": (Kind.LOG, "log"),
    "err": (Kind.LOG, "log"),
    "csv": (Kind.LOG, "csv"),
    "tsv": (Kind.LOG, "tsv"),
    "md": (Kind.PLAIN_TEXT, "markdown"),
    "markdown": (Kind.PLAIN_TEXT, "markdown"),
    "mdx": (Kind.PLAIN_TEXT, "markdown"),
    "rst": (Kind.PLAIN_TEXT, "markdown"),
    "adoc": (Kind.PLAIN_TEXT, "markdown"),
}
_MIMES: dict[str, tuple[Kind, str]] = {
    "application/json": (Kind.JSON, "json"),
    "text/json": (Kind.JSON, "json"),
    "application/x-ndjson": (Kind.JSON, "jsonl"),
    "application/jsonl": (Kind.JSON, "jsonl"),
    "application/jsonlines": (Kind.JSON, "jsonl"),
    "text/html": (Kind.HTML, "html"),
    "application/xhtml+xml": (Kind.HTML, "html"),
    "text/xml": (Kind.HTML, "xml"),
    "application/xml": (Kind.HTML, "xml"),
    "image/svg+xml": (Kind.HTML, "svg"),
    "application/rss+xml": (Kind.HTML, "rss"),
    "application/atom+xml": (Kind.HTML, "rss"),
    "text/x-diff": (Kind.DIFF, "unified"),
    "text/x-patch": (Kind.DIFF, "unified"),
    "text/x-log": (Kind.LOG, "log"),
    "text/csv": (Kind.LOG, "csv"),
    "text/tab-separated-values": (Kind.LOG, "tsv"),
    "text/markdown": (Kind.PLAIN_TEXT, "markdown"),
    "text/x-markdown": (Kind.PLAIN_TEXT, "markdown"),
    "text/css": (Kind.CODE, "css"),
}
_TOOLS: dict[str, Kind] = {
    **dict.fromkeys(
        words("grep glob_search ripgrep rg search_files file_search codebase_search"), Kind.SEARCH
    ),
    **dict.fromkeys(words("grep_search glob find_files list_files search_code"), Kind.SEARCH),
    **dict.fromkeys(
        words("run_tests run_linter npm_exec node_exec install_tool lsp docker_logs get_logs read_logs"),
        Kind.LOG,
    ),
    **dict.fromkeys(words("read_diff git_operations git_diff get_diff"), Kind.DIFF),
    "browser": Kind.HTML,
}
_SEARCHERS = frozenset(words("grep egrep fgrep rg ripgrep ag ack ugrep zgrep"))
_LISTERS = frozenset(words("find fd fdfind locate tree"))
_LOGGERS = frozenset(
    words(
        "journalctl dmesg pytest py.test tox nox jest vitest mocha phpunit rspec ctest make ninja bazel gradle "
        "gradlew mvn cmake ansible-playbook eslint tsc ruff mypy flake8 pylint tail"
    )
)
_READERS = frozenset(words("cat bat batcat head tail less more nl sed type"))


def from_mime(mime: str | None) -> Hint | None:
    """Returns what a media type says; ``text/plain`` says nothing."""
    if not mime:
        return None
    name = mime.partition(";")[0].strip().lower()
    found = _MIMES.get(name)
    if found is None:
        found = _mime_family(name)
    return Hint(*found, f"media type {name}") if found else None


def _mime_family(name: str) -> tuple[Kind, str] | None:
    if name.endswith("+json"):
        return Kind.JSON, "json"
    if name.endswith("+xml"):
        return Kind.HTML, "xml"
    top, _, sub = name.partition("/")
    if top in ("text", "application") and sub not in ("plain", "octet-stream"):
        return _EXTENSIONS.get(sub.removeprefix("x-").removesuffix("script-source").removesuffix("src"))
    return None


def from_extension(extension: str | None) -> Hint | None:
    """Returns what a file extension (or a bare file name) says."""
    if not extension:
        return None
    name = extension.rpartition("/")[2].lower()
    name = name.rpartition(".")[2] or name
    found = _EXTENSIONS.get(name)
    return Hint(*found, f"extension {name}") if found else None


def from_tool(tool: str | None) -> Hint | None:
    """Returns what a tool's name says; shells and file readers say nothing."""
    kind = _TOOLS.get((tool or "").lower().rpartition(".")[2])
    return Hint(kind, "", f"tool {tool}", weak=True) if kind else None


def from_command(command: Command | None) -> Hint | None:
    """Returns what the program that ran says."""
    if command is None or not command.program or command.compound:
        return None
    program, verb = command.program, command.verb
    if program in _READERS:
        return _from_read(command)
    kind, form = _program_kind(program, verb, command.argv)
    return Hint(kind, form, f"command {program} {verb}".rstrip(), weak=True) if kind else None


def _program_kind(program: str, verb: str, argv: tuple[str, ...]) -> tuple[Kind | None, str]:
    if program in _SEARCHERS:
        return Kind.SEARCH, "paths" if "--files" in argv else ""
    if program in _LISTERS or (program == "ls" and any(_flag(word, "R") for word in argv)):
        return Kind.SEARCH, "paths" if program != "ls" else "ls-r"
    if program == "git":
        return _git_kind(verb)
    if program in _LOGGERS or (program in ("docker", "kubectl", "podman", "oc") and verb == "logs"):
        return Kind.LOG, ""
    return (Kind.DIFF, "") if program in ("diff", "colordiff", "interdiff") else (None, "")


def _git_kind(verb: str) -> tuple[Kind | None, str]:
    if verb in ("diff", "format-patch", "diff-tree", "diff-index"):
        return Kind.DIFF, ""
    if verb in ("grep", "ls-files", "ls-tree"):
        return Kind.SEARCH, "" if verb == "grep" else "paths"
    return None, ""


def _flag(word: str, letter: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and letter in word


def _from_read(command: Command) -> Hint | None:
    """Returns what the extension of the one file that was read says."""
    files = [word for word in command.argv[1:] if not word.startswith("-") and "." in word.rpartition("/")[2]]
    names = [
        word for word in command.argv[1:] if word.rpartition("/")[2].lower() in ("dockerfile", "makefile")
    ]
    if len(files) + len(names) != 1 or command.piped:
        return None
    hint = from_extension((files or names)[0])
    return Hint(hint.kind, hint.format, f"read of a .{hint.evidence[10:]} file", weak=True) if hint else None
