"""Cuts what tools print to what an LLM agent needs.

Public names load lazily: importing the package costs nothing.

>>> from tokenjuice_ml import compress
>>> compress("short", tool="exec", command="echo short", exit_code=0).text
'short'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenjuice_ml.api import Interceptor, TokenJuice, acompress, compress, retrieve
    from tokenjuice_ml.settings import Settings
    from tokenjuice_ml.types import Compressed, Kind, ToolOutput

__version__ = "0.1.0"

_HOME = {
    "Compressed": "types",
    "Interceptor": "api",
    "Kind": "types",
    "Settings": "settings",
    "TokenJuice": "api",
    "ToolOutput": "types",
    "acompress": "api",
    "compress": "api",
    "retrieve": "api",
}

__all__ = [
    "Compressed",
    "Interceptor",
    "Kind",
    "Settings",
    "TokenJuice",
    "ToolOutput",
    "acompress",
    "compress",
    "retrieve",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'tokenjuice_ml' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"tokenjuice_ml.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
