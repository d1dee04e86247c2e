"""The values that are handed from stage to stage. All frozen; no behaviour beyond reading.

Line numbers are 1-based and inclusive, byte counts are of the UTF-8 text, times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tokenjuice_ml.record import Record, field

if TYPE_CHECKING:
    from tokenjuice_ml.command import Command
    from tokenjuice_ml.settings import Settings
    from tokenjuice_ml.spool import Digest


class Kind(StrEnum):
    """What a text is, as far as cutting it goes."""

    JSON = "json"
    DIFF = "diff"
    HTML = "html"
    SEARCH = "search"
    CODE = "code"
    LOG = "log"
    PLAIN_TEXT = "plain_text"


class Reason(StrEnum):
    """Why the text came back the way it did. `sentence` says it to a person."""

    def __new__(cls, value: str, sentence: str) -> Reason:
        """Makes a member that is its value and carries its sentence."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.sentence = sentence
        return member

    sentence: str

    COMPRESSED = "compressed", "Cut; the original is kept under the token."
    LOSSLESS = "lossless", "Rewritten shorter; no data was lost."
    UNSTORED = "lossy_without_ccr", "Cut, and the caller accepted that no original is kept."
    SALIENCY = "saliency", "Cut by the saliency model."
    NATIVE = "native_text", "Cut by the native text compressor; the saliency model did not answer."
    ROUTER_OFF = "router_off", "The router is switched off."
    PROFILE_OFF = "profile_off", "The profile is off."
    BYPASS = "bypass", "The caller asked for the raw text."
    RETRIEVED = "retrieved", "This is retrieval output, or carries a token of this store."
    TOO_SMALL = "too_small", "Too small to be worth cutting."
    EXACT_READ = "exact_read", "A file read that stays exact."
    EXACT_OUTPUT = "exact_output", "A small, porcelain or patch output that must stay exact."
    REDIRECTED = "redirected", "The output goes into a pipe or file inside the command."
    KIND_OFF = "kind_disabled", "Compression of this kind is switched off."
    DECLINED = "declined", "Nothing could be cut without losing what matters."
    NOT_SMALLER = "not_smaller", "The result, marker included, was not smaller enough."
    LOSSY_REFUSED = "lossy_refused", "The cut would lose data and no original may be kept."
    STORE_FAILED = "store_failed", "The original could not be stored, so nothing was cut."
    INTERNAL = "internal_error", "A stage failed; the original is untouched."


class ToolOutput(Record):
    """One result of one tool call, with every hint the caller had.

    Attributes:
        text: the decoded output.
        raw: the original bytes where the caller gave bytes (kept for byte-exact retrieval).
        tool: name of the tool, e.g. ``exec`` or ``read_file``.
        command: the command line as typed, for shell tools.
        argv: the command as a list, when the caller has it.
        exit_code: process exit status; None means unknown, which is not success.
        cwd: working directory of the command.
        kind: the kind, where the caller knows it.
        mime: media type of the text.
        extension: file extension without the dot.
        query: what the agent is looking for, in its own words.
        arguments_json: the tool call's arguments as JSON text.
        model: id of the model that will read the result (for prices).
        bypass: return the text untouched.
        digest: set where `text` is the digest of an output too large for memory; the spool file
            behind it is the original.
    """

    text: str
    raw: bytes | None = None
    tool: str | None = None
    command: str | None = None
    argv: tuple[str, ...] | None = None
    exit_code: int | None = None
    cwd: str | None = None
    kind: Kind | None = None
    mime: str | None = None
    extension: str | None = None
    query: str | None = None
    arguments_json: str | None = None
    model: str | None = None
    bypass: bool = False
    digest: Digest | None = None


class Omission(Record):
    """A place where something was left out.

    Attributes:
        first_line: first original line touched, 1-based.
        last_line: last original line touched, inclusive.
        lines: lines left out inside that range.
        bytes: UTF-8 bytes left out.
        what: what it was, in a few words.
    """

    first_line: int
    last_line: int
    lines: int
    bytes: int
    what: str = ""

    def __init__(self, first_line: int, last_line: int, lines: int, bytes: int, what: str = "") -> None:
        """Takes the fields; its own way, since a result has hundreds of gaps."""
        values = self.__dict__
        values["first_line"], values["last_line"] = first_line, last_line
        values["lines"], values["bytes"], values["what"] = lines, bytes, what


class Detection(Record):
    """The kind of a text and why.

    Attributes:
        kind: the decided kind.
        evidence: one short phrase, e.g. ``"extension json"`` or ``"41 of 50 lines path:line:"``.
        by: which step of the precedence decided: kind, mime, extension, tool, command, structure.
        format: finer format where known: jsonl, csv, tsv, table, markdown, python, xml, ...
    """

    kind: Kind
    evidence: str
    by: str
    format: str = ""


class Context(Record):
    """What a compressor may know besides the text.

    Attributes:
        output: the tool output with all hints.
        settings: the settings of this call.
        detection: the kind and its evidence.
        command: the identified command, if there was one.
        budget_tokens: most tokens (estimator) the body should have; 0 means no budget.
    """

    output: ToolOutput
    settings: Settings
    detection: Detection
    command: Command | None = None
    budget_tokens: int = 0


class Reduction(Record):
    """A compressor's answer: the body to show, without footer.

    Attributes:
        text: the body, omission lines included.
        lossy: True when the original cannot be rebuilt from `text` alone.
        compressor: label of the compressor, e.g. ``log``.
        omissions: what was left out, in the order of the original.
        rule: id of the rule that did it.
        reason: set by stages that have something special to say (saliency, native text).
        detail: a sentence for logs and `--json`.
    """

    text: str
    lossy: bool
    compressor: str
    omissions: tuple[Omission, ...] = ()
    rule: str | None = None
    reason: Reason | None = None
    detail: str = ""


class Compressed(Record):
    """What the caller gets back.

    Attributes:
        text: what to show the model: the body with its footer, or the original.
        kind: detected kind.
        compressor: who cut it; ``none`` when untouched.
        rule: the rule that the command reached, also where the text stayed as it was.
        lossy: True when something was left out.
        token: where the original is kept, or None.
        reason: why, as an enum member with a `sentence`.
        tokens_before: tokens of the original.
        tokens_after: tokens of `text`, marker included.
        tokens_exact: True when both were counted by a tokenizer, not estimated.
        bytes_before: UTF-8 bytes (or the given bytes) of the original.
        bytes_after: UTF-8 bytes of `text`.
        omissions: what was left out.
        ms: wall time of the call.
        detection: the kind with its evidence.
        detail: more about the reason, when there is more to say.
        steps: milliseconds by stage.
        masked: secrets that were masked before anything else (``redact_secrets``).
    """

    text: str
    kind: Kind
    compressor: str
    rule: str | None
    lossy: bool
    token: str | None
    reason: Reason
    tokens_before: int
    tokens_after: int
    tokens_exact: bool
    bytes_before: int
    bytes_after: int
    omissions: tuple[Omission, ...] = ()
    ms: float = 0.0
    detection: Detection | None = None
    detail: str = ""
    steps: Mapping[str, float] = field(factory=dict)
    masked: int = 0

    def to_json(self) -> dict[str, Any]:
        """Returns the answer of `tj batch` without its id."""
        answer: dict[str, Any] = {
            "text": self.text,
            "kind": self.kind.value,
            "compressor": self.compressor,
            "rule": self.rule,
            "lossy": self.lossy,
            "token": self.token,
            "reason": self.reason.value,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "tokens_exact": self.tokens_exact,
            "bytes_before": self.bytes_before,
            "bytes_after": self.bytes_after,
            "omissions": [
                {
                    "first_line": gap.first_line,
                    "last_line": gap.last_line,
                    "lines": gap.lines,
                    "bytes": gap.bytes,
                    "what": gap.what,
                }
                for gap in self.omissions
            ],
            "ms": round(self.ms, 3),
        }
        if self.detail:
            answer["detail"] = self.detail
        if self.masked:
            answer["masked"] = self.masked
        return answer
