"""A tolerant reader of shell command lines: lists, pipelines, groups, words, redirections.

It reads what a person or an agent types, never fails, and is linear in the length of the text.
Expansions stay as they are written; the words inside `$(…)` are not commands of ours.
"""

from __future__ import annotations

import re

from tokenjuice_ml.record import Mutable, field

MAX_CHARS = 64_000
MAX_DEPTH = 16

_PLAIN = re.compile(r"[^ \t\r\n\"'\\|&;<>()$`#]+")
_SPACE = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_LIST_OPS = ("&&", "||", ";;", ";", "&", "\n")
_REDIR = re.compile(r"(\d*)(<<<|<<-?|<>|>\||>>|>&|<&|<|>)|(&>>?)")
_WINDOWS_PATH = re.compile(r"(?:[A-Za-z]:|\.{1,2}|[^\\]*\\.*[^\\])\Z")


class Redirect(Mutable):
    """One redirection: `1>` to a file, `2>&1`, `<` from a file."""

    fd: str
    op: str
    target: str


class Simple(Mutable):
    """One program with its words."""

    words: list[str] = field(factory=list)
    redirects: list[Redirect] = field(factory=list)


class Group(Mutable):
    """`( … )` or `{ …; }`."""

    body: CommandList
    redirects: list[Redirect] = field(factory=list)


Stage = Simple | Group
# What stands before a pipeline ("", "&&", "||", ";", "&", "\n") and its stages.
CommandList = list[tuple[str, list[Stage]]]


class TooDeep(Exception):
    """The command nests deeper than anybody types."""


def parse(text: str) -> CommandList:
    """Returns the pipelines of `text`.

    Raises:
        TooDeep: more than `MAX_DEPTH` nested groups.
    """
    return _Reader(text[:MAX_CHARS]).command_list(0)


class _Reader:
    """Recursive descent over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.heredocs: list[str] = []

    def command_list(self, depth: int, closer: str = "") -> CommandList:
        if depth > MAX_DEPTH:
            raise TooDeep
        items: CommandList = []
        op = ""
        while True:
            stages = self.pipeline(depth)
            if stages:
                items.append((op, stages))
            if self.at >= len(self.text):
                return items
            if closer and self.text.startswith(closer, self.at):
                self.at += 1
                return items
            op = self.list_op()

    def list_op(self) -> str:
        for op in _LIST_OPS:
            if self.text.startswith(op, self.at):
                self.at += len(op)
                if op == "\n":
                    self.skip_heredocs()
                return ";" if op in ("\n", ";;") else op
        self.at += 1  # a stray ')'
        return ";"

    def pipeline(self, depth: int) -> list[Stage]:
        stages: list[Stage] = []
        while True:
            stage = self.stage(depth)
            if stage is not None:
                stages.append(stage)
            if not self.text.startswith("|", self.at) or self.text.startswith("||", self.at):
                return stages
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self.skip_newlines()

    def stage(self, depth: int) -> Stage | None:
        self.skip_space()
        if self.text.startswith("(", self.at):
            self.at += 1
            return self.tail_of(Group(self.command_list(depth + 1, ")")))
        if self.text.startswith("{", self.at) and self.text[self.at + 1 : self.at + 2].isspace():
            self.at += 1
            return self.tail_of(Group(self.brace_body(depth + 1)))
        simple = Simple()
        self.tail_of(simple)
        return simple if simple.words or simple.redirects else None

    def brace_body(self, depth: int) -> CommandList:
        """`}` counts only where a command would start."""
        if depth > MAX_DEPTH:
            raise TooDeep
        items: CommandList = []
        op = ""
        while self.at < len(self.text):
            self.skip_space()
            if self.text.startswith("}", self.at):
                self.at += 1
                break
            stages = self.pipeline(depth)
            if stages:
                items.append((op, stages))
            if self.at < len(self.text):
                op = self.list_op()
        return items

    def tail_of(self, stage: Stage) -> Stage:
        """Reads words and redirections up to the next operator."""
        words = stage.words if isinstance(stage, Simple) else []
        while self.at < len(self.text):
            self.skip_space()
            if self.at >= len(self.text):
                break
            found = _REDIR.match(self.text, self.at)
            if found:
                self.redirect(found, stage)
                continue
            char = self.text[self.at]
            if char in "|&;()\n":
                if char == "(" and words:  # a function head or a glob: not a list
                    self.at += 1
                    continue
                break
            if char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
                continue
            before = self.at
            words.append(self.word())
            self.at += self.at == before
        return stage

    def redirect(self, found: re.Match[str], stage: Stage) -> None:
        self.at = found.end()
        fd, op = found.group(1) or "", found.group(2) or found.group(3)
        if op in ("<", ">") and self.text.startswith("(", self.at):
            self.at = _closing(self.text, self.at)
            if isinstance(stage, Simple):
                stage.words.append(f"{op}(…)")
            return
        self.skip_space()
        target = self.word() if self.at < len(self.text) and self.text[self.at] not in "|&;()\n<>" else ""
        if op in ("<<", "<<-"):
            self.heredocs.append(target)
        stage.redirects.append(Redirect(fd, op, target))

    def word(self) -> str:
        parts: list[str] = []
        text, size = self.text, len(self.text)
        while self.at < size:
            plain = _PLAIN.match(text, self.at)
            if plain:
                parts.append(plain.group())
                self.at = plain.end()
                continue
            char = text[self.at]
            if char == "'":
                parts.append(self.single_quoted())
            elif char == '"':
                parts.append(self.double_quoted())
            elif char == "\\":
                parts.append(self.escaped("".join(parts)))
            elif char == "$":
                parts.append(self.dollar())
            elif char == "`":
                end = text.find("`", self.at + 1)
                end = size if end < 0 else end + 1
                parts.append(text[self.at : end])
                self.at = end
            elif char == "#" and parts:
                parts.append(char)
                self.at += 1
            else:
                break
        return "".join(parts)

    def single_quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        end = len(self.text) if end < 0 else end
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def double_quoted(self) -> str:
        out: list[str] = []
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != '"':
            char = self.text[self.at]
            follows = self.text[self.at + 1 : self.at + 2]
            if char == "\\" and follows and follows in '"\\$`\n':
                out.append("" if follows == "\n" else follows)
                self.at += 2
            elif char == "$" and follows == "(":
                end = _closing(self.text, self.at + 1)
                out.append(self.text[self.at : end])
                self.at = end
            else:
                out.append(char)
                self.at += 1
        self.at += 1
        return "".join(out)

    def escaped(self, before: str) -> str:
        """A backslash escapes, except inside something that is a Windows path."""
        follows = self.text[self.at + 1 : self.at + 2]
        self.at += 1 + len(follows)
        if follows == "\n":
            return ""
        if follows.isalnum() and before and _WINDOWS_PATH.match(before):
            return "\\" + follows
        return follows

    def dollar(self) -> str:
        start = self.at
        follows = self.text[self.at + 1 : self.at + 2]
        if follows in ("(", "{") and follows:
            self.at = _closing(self.text, self.at + 1)
            return self.text[start : self.at]
        self.at += 1
        if follows == "'":
            return self.single_quoted()
        return "$"

    def skip_space(self) -> None:
        found = _SPACE.match(self.text, self.at)
        if found:
            self.at = found.end()

    def skip_newlines(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def skip_heredocs(self) -> None:
        for delimiter in self.heredocs:
            found = re.compile(rf"^\t*{re.escape(delimiter)}[ \t\r]*$", re.M).search(self.text, self.at)
            self.at = found.end() + 1 if found else len(self.text)
        self.heredocs = []


def _closing(text: str, start: int) -> int:
    """Returns the position after the bracket that closes the one at `start`."""
    opener = text[start]
    closer = ")" if opener == "(" else "}"
    depth, at = 0, start
    for found in re.compile(r"\\.|'[^']*'|[(){}]", re.S).finditer(text, start):
        char = found.group()
        depth += (char == opener) - (char == closer)
        at = found.end()
        if depth == 0:
            return at
    return len(text)
