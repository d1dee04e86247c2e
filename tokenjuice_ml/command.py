"""Which program and verb a command line really runs.

Seen through: environment prefixes, sudo and its kin, `sh -c`, `cd x &&`, subshells, runners such as
npx, uv run or docker exec, and `python -m`. A pipeline is its last stage. Several substantive
commands are `compound`: no specific rule may touch their mixed output.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from functools import lru_cache

from tokenjuice_ml import command_tables as tables
from tokenjuice_ml import command_wrappers as wrappers
from tokenjuice_ml import shell
from tokenjuice_ml.record import Mutable, Record, replace

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_VERSIONED = re.compile(
    r"((?:python|pypy|pip|node|gcc|g\+\+|clang|clang\+\+|ruby|php|perl|lua|psql)w?)-?\d[\d.]*\Z"
)
_CROSS = re.compile(r"(?:[\w.]+-){2,}(gcc|g\+\+|clang|clang\+\+|ld|ar|objdump|strip)(?:-[\d.]+)?\Z")
_EXTENSIONS = (".exe", ".cmd", ".bat", ".com", ".ps1")
_SILENT_TARGETS = frozenset({"/dev/null", "nul", "NUL", "$null"})
_NOT_A_FILE = frozenset({"/dev/stderr", "/dev/stdout", "/dev/tty", "/dev/fd/1", "/dev/fd/2"})
_MOST_WRAPPERS = 16


class Command(Record):
    """A command line, seen through its wrappers.

    Attributes:
        text: the command as typed.
        program: basename of what runs, lower case, without ``.exe``; "" when nothing single runs.
        verb: the first sub-command after global options, "" if there is none.
        argv: effective argv: program first, wrappers and environment removed.
        compound: several substantive commands; no specific rule applies.
        piped: output went through a pipe; `program` is the last stage.
        redirected: output goes into a file or a consumer that is not ours to touch.
        runner: the wrapper seen through last, e.g. ``npx`` or ``sudo``.
        words: the verb and the words after it, options and their known values left out.
        flags: options before ``--``, without ``=value``.
        help: the command asks for help.
        reads_file: the output is the content of files (cat, sed -n, git show REV:path ...).
        exit_masked: the exit code is not this program's own (a pipe, ``|| true``): 0 proves nothing.
    """

    text: str
    program: str = ""
    verb: str = ""
    argv: tuple[str, ...] = ()
    compound: bool = False
    piped: bool = False
    redirected: bool = False
    runner: str = ""
    words: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    help: bool = False
    reads_file: bool = False
    exit_masked: bool = False


class _Part(Mutable):
    """What a stage, a pipeline or a list turned out to be."""

    argv: tuple[str, ...] = ()
    runner: str = ""
    compound: bool = False
    piped: bool = False
    redirected: bool = False
    silent: bool = False
    setup: bool = False
    reads_file: bool = False
    filters: bool = False
    masked: bool = False


def identify(command: str | None, argv: Sequence[str] | None = None) -> Command | None:
    """Returns what really runs, or None where neither a command nor an argv is given.

    >>> identify("cd app && FOO=1 sudo -u me git -C x --no-pager diff --stat").argv
    ('git', '-C', 'x', '--no-pager', 'diff', '--stat')
    >>> identify("python3 -m pytest -q 2>&1").program
    'pytest'
    >>> identify("git status; ls").compound
    True
    """
    if argv:
        return _identify_argv(command, tuple(map(str, argv)))
    if command is None or not command.strip():
        return None
    return _identify_text(command)


def is_file_read(command: Command | None) -> bool:
    """Returns True when the output is the content of files and nothing else."""
    return command is not None and command.reads_file


@lru_cache(maxsize=512)
def _identify_text(text: str) -> Command:
    try:
        part = _list(shell.parse(text), 0)
    except shell.TooDeep:
        part = _Part(compound=True)
    return _finish(text, part)


@lru_cache(maxsize=512)
def _identify_argv(text: str | None, argv: tuple[str, ...]) -> Command:
    try:
        part = _simple(list(argv), 0)
    except shell.TooDeep:
        part = _Part(compound=True)
    return _finish(text if text is not None else shlex.join(argv), part)


def _finish(text: str, part: _Part) -> Command:
    command = Command(
        text=text,
        argv=part.argv,
        compound=part.compound,
        piped=part.piped,
        redirected=part.redirected,
        runner=part.runner,
        reads_file=part.reads_file,
        exit_masked=part.masked or (part.piped and "pipefail" not in text),
    )
    if part.compound or not part.argv:
        return command
    program = part.argv[0]
    words, flags = _words_and_flags(program, part.argv)
    verb = words[0] if words and program not in tables.VERBLESS else ""
    asks_help = program not in tables.TEXT_PRINTERS and ("--help" in flags or verb == "help")
    return replace(command, program=program, verb=verb, words=words, flags=flags, help=asks_help)


def _list(items: shell.CommandList, depth: int) -> _Part:
    """Returns what a list of pipelines comes to: one substantive command, or several."""
    if depth > shell.MAX_DEPTH:
        raise shell.TooDeep
    parts: list[_Part] = []
    last_setup = _Part(setup=True)
    masked = False
    for op, stages in items:
        part = _pipeline(stages, depth)
        if op == "||" and parts and _only_says(part):
            masked = True
        elif op in (";", "||", "&&") and parts and _says_exit_code(stages):
            masked = masked or op != "&&"
        elif part.setup or (part.silent and len(items) > 1):
            last_setup = part
            masked = masked or (bool(parts) and op in ("||", ";"))
        else:
            parts.append(part)
    if not parts:
        return last_setup
    # Quiet helpers such as mkdir and rm count only when nothing else speaks.
    speaking = [part for part in parts if not _is_quiet(part)] or parts[-1:]
    if len(speaking) == 1:
        only = speaking[0]
        only.masked = only.masked or masked
        return only
    return _Part(
        compound=True,
        reads_file=all(part.reads_file or _only_says(part) for part in speaking)
        and any(part.reads_file for part in speaking),
        redirected=all(part.redirected for part in speaking),
        masked=masked,
    )


def _only_says(part: _Part) -> bool:
    return part.setup or (bool(part.argv) and part.argv[0] in ("echo", "printf") and not part.piped)


def _says_exit_code(stages: list[shell.Stage]) -> bool:
    """`; echo "exit: $?"`: one line that belongs to the command before."""
    stage = stages[0]
    if (
        len(stages) != 1
        or not isinstance(stage, shell.Simple)
        or stage.words[:1] not in (["echo"], ["printf"])
    ):
        return False
    return any("$?" in word or "PIPESTATUS" in word for word in stage.words)


def _is_quiet(part: _Part) -> bool:
    if not part.argv or part.piped or part.argv[0] not in tables.QUIET:
        return False
    return not any(word in ("--verbose", "--help") or re.match(r"-\w*v", word) for word in part.argv[1:])


def _pipeline(stages: list[shell.Stage], depth: int) -> _Part:
    parts = [_stage(stage, depth) for stage in stages]
    if len(parts) == 1:
        return parts[0]
    # `| cat` and `| tee file` pass everything on: what is seen is the stage before.
    while len(parts) > 1 and (_passes_on(parts[-1]) or _only_sorts(parts[-1], parts[-2])):
        parts.pop()
    last = parts[-1]
    if last.compound:
        return replace(last, piped=True)
    reads = parts[0].reads_file and all(part.filters or part.reads_file for part in parts[1:])
    return replace(last, piped=True, setup=False, reads_file=reads)


def _passes_on(part: _Part) -> bool:
    return not part.redirected and (part.argv == ("cat",) or part.argv[:1] == ("tee",))


def _only_sorts(part: _Part, before: _Part) -> bool:
    """`flake8 | sort`: what a linter says line by line, in another order."""
    if part.redirected or part.argv not in (("sort",), ("sort", "-u"), ("uniq",)):
        return False
    return before.argv[:1] != () and before.argv[0] in tables.LINE_LINTERS


def _stage(stage: shell.Stage, depth: int) -> _Part:
    if isinstance(stage, shell.Group):
        part = _list(stage.body, depth + 1)
    else:
        part = _simple(stage.words, depth)
        if not stage.words:
            part.setup = True
    _redirects(stage.redirects, part)
    return part


def _redirects(redirects: list[shell.Redirect], part: _Part) -> None:
    out_null = err_null = False
    for redirect in redirects:
        if redirect.op.startswith("<"):
            continue
        both = redirect.op.startswith("&>")
        target = redirect.target
        if redirect.op.endswith(">&") or target.startswith("&"):
            err_null = err_null or (redirect.fd == "2" and out_null)
            continue
        if target in _SILENT_TARGETS:
            out_null = out_null or both or redirect.fd in ("", "1")
            err_null = err_null or both or redirect.fd == "2"
        elif target not in _NOT_A_FILE and (both or redirect.fd in ("", "1")):
            part.redirected = True
            part.silent = True
    part.silent = part.silent or (out_null and err_null)
    if out_null and part.argv[:1] in (("which",), ("command",), ("type",), ("hash",)):
        part.setup = True


def _simple(words: list[str], depth: int) -> _Part:
    """Returns what one simple command comes to, wrappers removed."""
    runner = ""
    words = list(words)
    for _ in range(_MOST_WRAPPERS):
        words = _without_assignments(words)
        if not words:
            return _Part(setup=True, runner=runner)
        if words[0] in tables.CONTROL or words[0].endswith("()") or (len(words) > 1 and words[1] == "()"):
            return _Part(compound=True)
        name = program_name(words[0])
        if name == "docker-compose":
            name, words = "docker", ["docker", "compose", *words[1:]]
        if name == "command" and words[1:2] in (["-v"], ["-V"]):
            return _Part(argv=("command", *words[1:]), setup=True)
        body = wrappers.shell_body(name, words)
        if body is not None:
            if depth > shell.MAX_DEPTH:
                raise shell.TooDeep
            part = _list(shell.parse(body), depth + 1)
            part.runner = part.runner or name
            return part
        inner = wrappers.unwrap(name, words)
        if inner is None:
            return _described(name, words, runner)
        if not inner:
            break
        runner, words = name, inner
    return _described(program_name(words[0]), words, runner)


def _described(name: str, words: list[str], runner: str) -> _Part:
    argv = (name, *words[1:])
    setup = name in tables.SETUP or (name, _first_word(words)) in tables.SETUP_VERBS
    return _Part(
        argv=argv,
        runner=runner,
        setup=setup,
        reads_file=_reads_file(argv),
        filters=_filters(argv),
    )


def _first_word(words: list[str]) -> str:
    return next((word for word in words[1:] if not word.startswith("-")), "")


def _without_assignments(words: list[str]) -> list[str]:
    start = 0
    while start < len(words) and (_ASSIGNMENT.match(words[start]) or words[start] == "!"):
        start += 1
    return words[start:]


@lru_cache(maxsize=512)
def program_name(word: str) -> str:
    """Returns the canonical name of a program: basename, lower case, no extension, no version.

    >>> [program_name(word) for word in ("/usr/bin/python3.11", "Git/git.EXE", "./gradlew", "gcc-12")]
    ['python', 'git', 'gradlew', 'gcc']
    """
    name = re.split(r"[/\\]", word.rstrip("/\\"))[-1].lower()
    for extension in _EXTENSIONS:
        if name.endswith(extension) and len(name) > len(extension):
            name = name[: -len(extension)]
    versioned = _VERSIONED.match(name) or _CROSS.match(name)
    if versioned:
        name = versioned.group(1)
    return tables.PROGRAM_ALIASES.get(name, name)


def _words_and_flags(program: str, argv: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
    values = tables.GLOBAL_VALUES.get(program, frozenset())
    words: list[str] = []
    flags: set[str] = set()
    at, size = 1, len(argv)
    while at < size:
        word = argv[at]
        at += 1
        if word == "--":
            break
        if word.startswith("-") and len(word) > 1:
            flags.add(word.split("=", 1)[0])
            # After the verb an option of the same name may be the verb's own flag (git branch -c).
            if word in values and (not words or program not in ("git", "systemctl", "tox", "nox")):
                at += 1
        elif word.startswith("+") and program in ("cargo", "rustc", "rustup") and not words:
            continue
        elif not (program in tables.TASK_RUNNERS and _ASSIGNMENT.match(word)):
            words.append(word)
    return _canonical(program, words), frozenset(flags)


def _canonical(program: str, words: list[str]) -> tuple[str, ...]:
    if program in tables.VERBLESS:
        return tuple(words)
    if not words:
        return ("install",) if program == "yarn" else ()
    if program in tables.TASK_RUNNERS:
        words = [word.rsplit(":", 1)[-1] for word in words]
    first = words[0]
    if program == "python":
        first = re.split(r"[/\\]", first)[-1]
    first = tables.VERB_ALIASES.get(program, {}).get(first, first)
    return (first, *words[1:])


def _reads_file(argv: tuple[str, ...]) -> bool:
    program, rest = argv[0], argv[1:]
    operands = [word for word in rest if not word.startswith("-")]
    if program in tables.FILE_READERS:
        values = (
            [word for word in operands if not word.isdigit()] if program in ("head", "tail") else operands
        )
        return bool(values) and "--help" not in rest
    if program in ("jq", "yq"):
        return len(operands) >= 2
    if program == "sed":
        return _prints_range(rest) and len(operands) >= 2
    if program == "awk":
        return (
            len(operands) >= 2
            and re.match(r"\s*(FNR|NR)\b[^{]*(\{\s*print\s*(\$0)?\s*;?\s*\})?\s*\Z", operands[0]) is not None
        )
    if program == "git":
        words = _words_and_flags("git", argv)[0]
        return words[:1] in (("show",), ("cat-file",)) and len(words) == 2 and ":" in words[1][1:]
    return False


def _prints_range(rest: tuple[str, ...]) -> bool:
    return (
        any(re.match(r"-[A-Za-z]*n", word) or word in ("--quiet", "--silent") for word in rest)
        and "-i" not in rest
    )


def _filters(argv: tuple[str, ...]) -> bool:
    """A later stage that shows some of the lines it is given, as they are."""
    program, rest = argv[0], argv[1:]
    if program in ("cat", "head", "tail", "nl", "less", "more", "bat"):
        return True
    return program == "sed" and _prints_range(rest)
