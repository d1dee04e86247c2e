"""The library: a configured instance, the module functions, and an interceptor for runtimes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from threading import Lock
from typing import TYPE_CHECKING, Any

from tokenjuice_ml import pipeline
from tokenjuice_ml.decode import decode
from tokenjuice_ml.errors import RequestError
from tokenjuice_ml.settings import DEFAULTS, Settings
from tokenjuice_ml.types import Compressed, Kind, ToolOutput

if TYPE_CHECKING:
    from tokenjuice_ml.ccr.store import Store

HINTS = tuple(item.name for item in fields(ToolOutput) if item.name not in ("text", "raw", "digest"))


class TokenJuice:
    """A configured instance; safe to share between threads.

    Args:
        settings: settings of all calls; default `Settings.load()`.
        store: where originals go; default what the settings say.
        surface: where the calls come from, for the ledger: library, reduce, wrap, ...

    >>> TokenJuice(Settings()).compress("hello").text
    'hello'
    """

    def __init__(
        self, settings: Settings | None = None, *, store: Store | None = None, surface: str = "library"
    ) -> None:
        self._settings = Settings.load() if settings is None else settings
        self._store = store
        self._owns_store = store is None
        self._surface = surface
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
                from tokenjuice_ml.ccr.store import open_store

                self._store = open_store(self._settings)
            return self._store

    def update(self, options: Mapping[str, Any]) -> Settings:
        """Changes settings of this running instance; absent keys stay.

        Raises:
            SettingsError: an unknown key or a bad value; nothing was changed.
        """
        with self._lock:
            before, self._settings = self._settings, self._settings.merged(options)
            if self._owns_store and _store_settings(before) != _store_settings(self._settings):
                self._store = None
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
        result = pipeline.compress(output, settings, self.store if settings.ccr_enabled else None)
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

            savings.debit_bytes(token, data)
        return data


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
        """Returns what the model should see. Never raises on content."""
        if self._redact is not None:
            text = self._redact(decode(text) if isinstance(text, bytes) else text)
        result = self._juice.compress(text, **hints)
        shown = result.text
        for hook in self._after:
            changed = hook(result)
            shown = shown if changed is None else changed
        return shown

    def wrap(self, callback: Callable[..., str | bytes], **hints: Any) -> Callable[..., str]:
        """Returns `callback` with its result cut; `hints` go with every call."""
        from functools import wraps

        @wraps(callback)
        def wrapped(*args: Any, **kwargs: Any) -> str:
            return self(callback(*args, **kwargs), **hints)

        return wrapped


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
        getattr(settings, name)
        for name in DEFAULTS.__slots__
        if name.startswith(("ccr_", "disk_", "max_cache_"))
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
