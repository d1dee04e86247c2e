"""Bodies and answers of the RPC methods, for FastAPI's validation and OpenAPI."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """An unknown key is an error: a misspelt hint must not be ignored."""

    model_config = ConfigDict(extra="forbid")


class Hints(Strict):
    """The hints of a tool call, all optional."""

    tool: str | None = Field(None, description="Name of the tool, e.g. exec or read_file.")
    command: str | None = Field(None, description="The command line as typed.")
    argv: list[str] | None = Field(None, description="The command as a list.")
    exit_code: int | None = Field(
        None, description="Exit status; absent means unknown, which is not success."
    )
    cwd: str | None = Field(None, description="Working directory of the command.")
    kind: str | None = Field(None, description="json, diff, html, search, code, log or plain_text.")
    mime: str | None = Field(None, description="Media type.")
    extension: str | None = Field(None, description="File extension without the dot.")
    query: str | None = Field(None, description="What the agent is looking for.")
    arguments_json: str | None = Field(None, description="Arguments of the tool call as JSON text.")
    model: str | None = Field(None, description="Model that will read the result, for prices.")
    bypass: bool = Field(False, description="Return the text untouched.")


class DetectRequest(Hints):
    """What to look at."""

    text: str


class DetectAnswer(BaseModel):
    """The kind and why."""

    kind: str
    by: str
    evidence: str
    format: str


class CompressRequest(Hints):
    """What to cut."""

    text: str
    options: dict[str, Any] = Field(default_factory=dict, description="Settings for this call.")


class OmissionAnswer(BaseModel):
    """A place where something was left out."""

    first_line: int
    last_line: int
    lines: int
    bytes: int
    what: str


class CompressAnswer(BaseModel):
    """The cut text and what became of the original."""

    text: str
    kind: str
    compressor: str
    rule: str | None
    lossy: bool
    token: str | None
    reason: str
    detail: str = ""
    tokens_before: int
    tokens_after: int
    tokens_exact: bool
    bytes_before: int
    bytes_after: int
    omissions: list[OmissionAnswer]
    ms: float
    masked: int = 0


class RetrieveRequest(Strict):
    """Which original, and which part of it."""

    token: str = Field(description="Bare or in its marker.")
    lines: tuple[int, int] | None = Field(
        None, description="First and last line, 1-based, inclusive, clamped."
    )
    bytes: tuple[int, int] | None = Field(
        None, description="First and last byte, 0-based, half open, clamped."
    )
    around: int | None = Field(None, description="A line to show with its surroundings.")
    context: int | None = Field(
        None, ge=0, le=10_000, description="Lines on each side of `around` (20) or of a match (2)."
    )
    grep: str | None = Field(
        None, description="Lines that hold this text or match this pattern, case ignored."
    )
    numbers: bool = Field(False, description="Put original line numbers in front.")
    whole: bool = Field(False, description="Everything that was asked for, not only one page of it.")
    as_base64: bool = Field(
        False, description="Give the bytes, all of them; only `lines` and `bytes` count then."
    )


class RetrieveAnswer(BaseModel):
    """The asked part; `found` false says why in `error`."""

    found: bool
    text: str | None = None
    base64: str | None = None
    error: str = ""
    first_line: int = 0
    last_line: int = 0
    total_lines: int = 0
    total_bytes: int = 0
    complete: bool = True


class SettingsAnswer(BaseModel):
    """All settings in force."""

    settings: dict[str, Any]


class SettingsUpdateRequest(Strict):
    """Settings to change; absent keys stay."""

    patch: dict[str, Any]


class SavingsRequest(Strict):
    """Which time and which host."""

    days: float | None = Field(None, gt=0, description="Only the last days.")
    host_limit: int = Field(0, ge=0, description="Count at most this many tokens of an output as saved.")
    recent: int = Field(20, ge=0, le=500, description="How many of the last events to list.")


class ResetAnswer(BaseModel):
    """How many events went."""

    ok: bool
    removed: int
