"""The way through: one call a stage, top to bottom. Start reading here.

| stage     | module          | may stop here                                          |
|-----------|-----------------|--------------------------------------------------------|
| bypass    | gate.py         | router off, raw asked for, retrieval output            |
| size      | gate.py         | too small                                              |
| identify  | command.py      |                                                        |
| detect    | detect.py       |                                                        |
| route     | route.py        | exact reads, redirected output, a kind switched off    |
| compress  | route.py's plan | declines: nothing to cut                               |
| keep      | ccr/            | lossy and not storable: withdrawn                      |
| mark      | marker.py       |                                                        |
| guard     | here            | not smaller with its marker                            |
| account   | savings.py      | (the caller's: api.py)                                 |
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from tokenjuice_ml import command, detect, gate, log, marker, route, tokens
from tokenjuice_ml.errors import StoreError
from tokenjuice_ml.types import Compressed, Context, Detection, Kind, Reason, Reduction, ToolOutput

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.store import Store
    from tokenjuice_ml.settings import Settings

# Fewer tokens than this share of the original, by the estimator, is a saving without counting.
SURE_SAVING = 0.9
NO_LOSS = "no data lost"
# A cut to half or less of a text this share of `ccr_min_tokens` is worth a token of its own.
HEAVY_CUT, HEAVY_MIN_SHARE = 0.5, 0.25


class _Stop(Exception):
    """Ends the way through: the original goes out, with a reason."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


class _Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.start = self._last = perf_counter()
        self.steps: dict[str, float] = {}

    def step(self, name: str) -> None:
        now = perf_counter()
        self.steps[name] = round((now - self._last) * 1000, 3)
        self._last = now


class _Marked(NamedTuple):
    text: str
    token: str | None
    tokens_before: int
    tokens_after: int
    exact: bool


def compress(output: ToolOutput, settings: Settings, store: Store | None) -> Compressed:
    """Returns `output` cut to what an agent needs, or untouched with a reason.

    Args:
        output: the tool output with its hints.
        settings: the settings of this call.
        store: where originals go; None when nothing can be kept.
    """
    clock = _Clock()
    detection = Detection(output.kind or Kind.PLAIN_TEXT, "not looked at", "none")
    rule: str | None = None
    try:
        _stop_if(gate.bypass(output, settings, store))
        _stop_if(gate.too_small(output, settings))
        clock.step("gate")
        identified = command.identify(output.command, output.argv)
        clock.step("identify")
        detection = detect.detect(output, identified)
        clock.step("detect")
        plan = route.plan(output, identified, detection, settings)
        rule = plan.rule
        _stop_if(plan.stop)
        _stop_if(gate.below_floor(output, plan.is_log, settings))
        clock.step("route")
        context = Context(output, settings, detection, identified, plan.budget_tokens)
        reduction = plan.run(output.text, context)
        clock.step("compress")
        if reduction is None:
            from tokenjuice_ml import declined

            raise _Stop(Reason.DECLINED, declined.why(output.text, context, rule))
        rule = reduction.rule or rule
        if output.digest is not None:
            reduction = output.digest.renumbered(reduction)
        marked = _keep_and_mark(output, reduction, settings, store)
        clock.step("keep")
    except _Stop as stop:
        return _untouched(output, detection, rule, stop, clock)
    except Exception as error:  # the agent loop must not break, whatever the text was
        log.failure("pipeline", error)
        return _untouched(
            output, detection, rule, _Stop(Reason.INTERNAL, f"{type(error).__name__}: {error}"), clock
        )
    return _finished(output, detection, rule, reduction, marked, clock)


def _stop_if(reason: Reason | None) -> None:
    if reason is not None:
        raise _Stop(reason)


def _keep_and_mark(
    output: ToolOutput, reduction: Reduction, settings: Settings, store: Store | None
) -> _Marked:
    """Stores the original where something was lost, marks the body and holds the size law.

    Raises:
        _Stop: nothing could be stored, or the marked body is not smaller enough.
    """
    if not reduction.text.strip() and output.text.strip():
        raise _Stop(Reason.NOT_SMALLER, "the body came out empty")
    before = tokens.estimate(output.text)
    if not reduction.lossy:
        return _guard(output, reduction.text, None, before)
    if settings.profile == "light" or (not settings.ccr_enabled and not settings.lossy_without_ccr):
        raise _Stop(Reason.LOSSY_REFUSED)
    lines = output.digest.lines if output.digest is not None else gate.line_count(output.text)
    dry = marker.mark(reduction.text, marker.SAMPLE_TOKEN, lines)
    if not _worth_storing(before, dry, settings) or not settings.ccr_enabled:
        if settings.lossy_without_ccr:
            return _guard(output, reduction.text, None, before)
        raise _Stop(Reason.TOO_SMALL, "too little saved to keep an original")
    _guard(output, dry, None, before)
    try:
        token = _store(output, lines, store)
    except StoreError as error:
        log.failure("store", error)
        if settings.lossy_without_ccr:
            return _guard(output, reduction.text, None, before)
        raise _Stop(Reason.STORE_FAILED, str(error)) from None
    return _guard(output, marker.mark(reduction.text, token, lines), token, before)


def _worth_storing(before: int, marked: str, settings: Settings) -> bool:
    if before >= settings.ccr_min_tokens:
        return True
    heavy = tokens.estimate(marked) <= before * HEAVY_CUT
    return heavy and before >= settings.ccr_min_tokens * HEAVY_MIN_SHARE


def _store(output: ToolOutput, lines: int, store: Store | None) -> str:
    """Keeps the original and returns its token.

    Raises:
        StoreError: it could not be kept.
    """
    if store is None:
        raise StoreError("no store of originals could be opened; `tj doctor` says why")
    if output.digest is not None:
        return store.put_file(output.digest.path, lines=lines)
    data = output.raw if output.raw is not None else output.text.encode("utf-8", "surrogatepass")
    return store.put(data, lines=lines)


def _guard(output: ToolOutput, text: str, token: str | None, before: int) -> _Marked:
    """Holds the first law: fewer bytes, and surely fewer tokens.

    Raises:
        _Stop: the text would not be smaller.
    """
    if gate.byte_count(text) >= _size(output):
        raise _Stop(Reason.NOT_SMALLER)
    after = tokens.estimate(text)
    if after <= before * SURE_SAVING:
        return _Marked(text, token, before, after, exact=False)
    exact = tokens.exact(output.text), tokens.exact(text)
    if exact[0] is None or exact[1] is None or exact[1] >= exact[0]:
        raise _Stop(Reason.NOT_SMALLER)
    return _Marked(text, token, exact[0], exact[1], exact=True)


def _size(output: ToolOutput) -> int:
    if output.digest is not None:
        return output.digest.bytes
    return len(output.raw) if output.raw is not None else gate.byte_count(output.text)


def _untouched(
    output: ToolOutput, detection: Detection, rule: str | None, stop: _Stop, clock: _Clock
) -> Compressed:
    size = _size(output)
    count = tokens.estimate(output.text)
    clock.step("end")
    result = Compressed(
        text=output.text,
        kind=detection.kind,
        compressor="none",
        rule=rule,
        lossy=False,
        token=None,
        reason=stop.reason,
        tokens_before=count,
        tokens_after=count,
        tokens_exact=False,
        bytes_before=size,
        bytes_after=size,
        ms=(perf_counter() - clock.start) * 1000,
        detection=detection,
        detail=stop.detail,
        steps=clock.steps,
    )
    log.result(result)
    return result


def _finished(
    output: ToolOutput,
    detection: Detection,
    rule: str | None,
    reduction: Reduction,
    marked: _Marked,
    clock: _Clock,
) -> Compressed:
    usual = Reason.UNSTORED if marked.token is None else Reason.COMPRESSED
    reason = reduction.reason or (usual if reduction.lossy else Reason.LOSSLESS)
    result = Compressed(
        text=marked.text,
        kind=detection.kind,
        compressor=reduction.compressor,
        rule=rule,
        lossy=reduction.lossy,
        token=marked.token,
        reason=reason,
        tokens_before=marked.tokens_before,
        tokens_after=marked.tokens_after,
        tokens_exact=marked.exact,
        bytes_before=_size(output),
        bytes_after=gate.byte_count(marked.text),
        omissions=reduction.omissions,
        ms=(perf_counter() - clock.start) * 1000,
        detection=detection,
        detail=reduction.detail if reduction.lossy else "; ".join(filter(None, (NO_LOSS, reduction.detail))),
        steps=clock.steps,
    )
    log.result(result)
    return result
