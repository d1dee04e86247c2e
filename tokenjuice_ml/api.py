"""The library: a configured instance, the module functions, and an interceptor for runtimes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from tokenjuice_ml import log, pipeline
from tokenjuice_ml.decode import decode
from tokenjuice_ml.errors import RequestError, StoreError
from tokenjuice_ml.gate import line_count
from tokenjuice_ml.record import replace
from tokenjuice_ml.settings import FIELDS, Settings
from tokenjuice_ml.types import Compressed, Kind, Reason, ToolOutput

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.store import Store

RETRY_S = 5.0
HINTS = tuple(item.name for item in ToolOutput.record_fields if item.name not in ("text", "raw", "digest"))


class TokenJuice:
    """A configured instance; safe to share between threads.

    Args:
        settings: settings of all calls; default `Settings.load()`. A mapping is put on top of that, as
            `options` are: ``TokenJuice({"ml_target_ratio": 0.3})``.
        store: where originals go; default what the settings say.
        surface: where the calls come from, for the ledger: library, reduce, wrap, ...
        disk: True keeps originals on disk whatever the settings say, for processes that end before
            their tokens are used.
        cwd: working directory, for ``ccr_dir = "workspace"``.

    Raises:
        SettingsError: an unknown key or a bad value in the mapping.
        TypeError: `settings` is something else.

    >>> TokenJuice(Settings()).compress("hello").text
    'hello'
    >>> TokenJuice({"profile": "light"}).settings.profile
    'light'
    """

    def __init__(
        self,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        store: Store | None = None,
        surface: str = "library",
        disk: bool | None = None,
        cwd: str | None = None,
    ) -> None:
        self._settings = _settings(settings)
        self._store = store
        self._owns_store = store is None
        self._surface, self._disk, self._cwd = surface, disk, cwd
        self._retired: Store | None = None
        self._retry_at = 0.0
        self._store_problem = ""
        self._lock = Lock()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._settings

    @property
    def store(self) -> Store | None:
        """The store of originals, opened at the first use; None when it is switched off."""
        with self._lock:
            if self._store is None and self._owns_store and self._settings.ccr_enabled:
                self._open_store()
            return self._store

    def _open_store(self) -> None:
        from tokenjuice_ml.ccr.store import opened

        if monotonic() < self._retry_at:
            return
        try:
            self._store = opened(self._settings, self._cwd, disk=self._disk)
        except StoreError as error:
            log.failure("open store", error)
            self._store_problem = str(error)
            # A server that is away must not cost every call its time limit.
            self._retry_at = monotonic() + RETRY_S
            return
        if self._retired is not None:
            self._store.adopt(self._retired)
            self._retired = None

    def update(self, options: Mapping[str, Any]) -> Settings:
        """Changes settings of this running instance; absent keys stay.

        Raises:
            SettingsError: an unknown key or a bad value; nothing was changed.
        """
        with self._lock:
            before, self._settings = self._settings, self._settings.merged(options)
            if self._owns_store and _store_settings(before) != _store_settings(self._settings):
                # What was shown with a token stays retrievable: the next store takes it over.
                self._retired, self._store, self._retry_at = self._store or self._retired, None, 0.0
            return self._settings

    def compress(self, text: str | bytes, **hints: Any) -> Compressed:
        """Returns `text` cut to what an agent needs.

        Args:
            text: a tool's output. Bytes are decoded by BOM, then as UTF-8; the original that is
                kept is the bytes.
            **hints: any of tool, command, argv, exit_code, cwd, kind, mime, extension, query,
                arguments_json, model, bypass (see `ToolOutput`) and options (settings for this
                call).

        Raises:
            RequestError: an unknown hint or one of the wrong type.
            SettingsError: a bad key or value in `options`.
        """
        options = hints.pop("options", None) or {}
        if not isinstance(options, Mapping):
            raise RequestError(f"options must be settings by name, not {options!r}")
        settings = self._settings.merged(options)
        return self.run(tool_output(text, hints), settings)

    def run(self, output: ToolOutput, settings: Settings) -> Compressed:
        """`compress` for a value that is already put together."""
        masked = 0
        if settings.redact_secrets and output.digest is None:  # a digest is of a masked file
            from tokenjuice_ml.redact import redact_output

            output, masked = redact_output(output)
        store = self.store if settings.ccr_enabled else None
        result = pipeline.compress(output, settings, store)
        if store is None and result.reason is Reason.STORE_FAILED and self._store_problem:
            result = replace(result, detail=f"no store of originals: {self._store_problem}")
        if masked:
            result = replace(result, masked=masked)
        if settings.savings_enabled and result.text is not output.text:
            from tokenjuice_ml import savings

            savings.record(result, output, settings, self._surface)
        return result

    async def acompress(self, text: str | bytes, **hints: Any) -> Compressed:
        """`compress` in a worker thread, for event loops."""
        import asyncio

        return await asyncio.to_thread(self.compress, text, **hints)

    def retrieve(
        self, token: str, *, lines: tuple[int, int] | None = None, bytes: tuple[int, int] | None = None
    ) -> bytes | None:
        """Returns the original under `token`, or a range of it; None when it is not there.

        Args:
            token: the token, with or without its ``⟦tj:…⟧``.
            lines: first and last line, 1-based, inclusive, clamped.
            bytes: first and last byte, 0-based, half open, clamped.
        """
        store = self.store
        if store is None:
            return None
        from tokenjuice_ml.ccr.retrieve import fetch

        data = fetch(store, token, lines=lines, bytes_=bytes)
        if data is not None and self._settings.savings_enabled:
            from tokenjuice_ml import savings

            savings.debit_part(token, data)
        return data


def _settings(given: Settings | Mapping[str, Any] | None) -> Settings:
    if isinstance(given, Settings):
        return given
    if given is None or isinstance(given, Mapping):
        return Settings.load().merged(given or {})
    raise TypeError(
        f"settings must be a Settings, a mapping of settings by name, or None, not {type(given).__name__}; "
        "e.g. TokenJuice({'ml_target_ratio': 0.3}) or TokenJuice(Settings.load())"
    )


class Interceptor:
    """Wraps a runtime's tool-result callback: redaction, then reduction, then after-hooks.

    Args:
        juice: the instance that cuts.
        redact: called with the text before anything is shown or stored.
        after: called with each result, in order; may return another text.
    """

    def __init__(
        self,
        juice: TokenJuice | None = None,
        *,
        redact: Callable[[str], str] | None = None,
        after: Sequence[Callable[[Compressed], str | None]] = (),
    ) -> None:
        self._juice = TokenJuice() if juice is None else juice
        self._redact, self._after = redact, tuple(after)

    def __call__(self, text: str | bytes, **hints: Any) -> str:
        """Returns what the model should see. Never raises on content.

        A redactor that fails lets nothing through; an after-hook that fails changes nothing.

        Args:
            text: the tool's result.
            **hints: as for `TokenJuice.compress`.

        Raises:
            RequestError: an unknown hint or one of the wrong type.
        """
        if self._redact is not None:
            text = decode(text) if isinstance(text, bytes) else text
            try:
                text = self._redact(text)
            except Exception as error:
                log.failure("redaction hook", error)
                return f"[… {line_count(text):,} lines withheld: the redaction hook failed ({type(error).__name__})]"
        result = self._juice.compress(text, **hints)
        shown = result.text
        for hook in self._after:
            try:
                changed = hook(result)
            except Exception as error:
                log.failure("after-hook", error)
                continue
            shown = shown if changed is None else changed
        return shown

    async def acall(self, text: str | bytes, **hints: Any) -> str:
        """The call in a worker thread, for event loops."""
        import asyncio

        return await asyncio.to_thread(self, text, **hints)

    def wrap(self, callback: Callable[..., Any], **hints: Any) -> Callable[..., Any]:
        """Returns `callback` with its result cut; what is no text stays as it is.

        Args:
            callback: returns a tool's result; a coroutine function gives a coroutine function.
            **hints: go with every call.
        """
        from functools import wraps
        from inspect import iscoroutinefunction

        @wraps(callback)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            answer = callback(*args, **kwargs)
            return self(answer, **hints) if isinstance(answer, (str, bytes)) else answer

        @wraps(callback)
        async def awrapped(*args: Any, **kwargs: Any) -> Any:
            answer = await callback(*args, **kwargs)
            return await self.acall(answer, **hints) if isinstance(answer, (str, bytes)) else answer

        return awrapped if iscoroutinefunction(callback) else wrapped


def tool_output(text: str | bytes, hints: Mapping[str, Any]) -> ToolOutput:
    """Returns the frozen value for a text and its hints.

    Raises:
        RequestError: an unknown hint or one of the wrong type.
    """
    for name in hints:
        if name not in HINTS:
            raise RequestError(f"unknown hint '{name}'; known: {', '.join(HINTS)}, options")
    values = {name: _checked_hint(name, value) for name, value in hints.items() if value is not None}
    if isinstance(text, (bytes, bytearray)):
        raw = bytes(text)
        return ToolOutput(decode(raw), raw=raw, **values)
    if not isinstance(text, str):
        raise RequestError(f"text must be str or bytes, not {type(text).__name__}")
    return ToolOutput(text, **values)


def _checked_hint(name: str, value: Any) -> Any:
    if name == "kind":
        try:
            return Kind(value)
        except ValueError:
            raise RequestError(f"kind must be one of {', '.join(Kind)}, not {value!r}") from None
    if name == "argv":
        if isinstance(value, str) or not all(isinstance(word, str) for word in value):
            raise RequestError("argv must be a list of strings")
        return tuple(value)
    wanted = {"exit_code": int, "bypass": bool}.get(name, str)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise RequestError(f"{name} must be {wanted.__name__}, not {value!r}")
    return str(value).lstrip(".").lower() if name == "extension" else value


def _store_settings(settings: Settings) -> tuple[Any, ...]:
    return tuple(
        getattr(settings, name) for name in FIELDS if name.startswith(("ccr_", "disk_", "max_cache_"))
    )


_default: TokenJuice | None = None
_default_lock = Lock()


def default() -> TokenJuice:
    """Returns the process-wide instance behind the module functions."""
    global _default
    with _default_lock:
        if _default is None:
            _default = TokenJuice()
        return _default


def compress(text: str | bytes, **hints: Any) -> Compressed:
    """Returns `text` cut to what an agent needs; see `TokenJuice.compress`."""
    return default().compress(text, **hints)


async def acompress(text: str | bytes, **hints: Any) -> Compressed:
    """`compress` for event loops; see `TokenJuice.compress`."""
    return await default().acompress(text, **hints)


def retrieve(
    token: str, *, lines: tuple[int, int] | None = None, bytes: tuple[int, int] | None = None
) -> bytes | None:
    """Returns the original under `token`; see `TokenJuice.retrieve`."""
    return default().retrieve(token, lines=lines, bytes=bytes)
