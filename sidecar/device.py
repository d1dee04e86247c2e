"""Which device a model runs on."""

from __future__ import annotations


def pick(asked: str) -> str:
    """Returns ``cpu``, or for ``auto`` the best that is there: ``cuda``, ``mps`` or ``cpu``."""
    if asked != "auto":
        return "cpu"
    try:
        import torch
    except ImportError:
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    backend = getattr(torch.backends, "mps", None)
    return "mps" if backend is not None and backend.is_available() else "cpu"


def onnx_providers(asked: str) -> list[str]:
    """Returns the execution providers of onnxruntime, best first; ``auto`` takes what is built in."""
    import onnxruntime

    there = onnxruntime.get_available_providers() if asked == "auto" else []
    best = [name for name in ("CUDAExecutionProvider", "CoreMLExecutionProvider") if name in there]
    return [*best[:1], "CPUExecutionProvider"]


def onnx_device(providers: list[str]) -> str:
    """Returns what a session really runs on, from the providers it got.

    >>> onnx_device(["CPUExecutionProvider"])
    'cpu'
    """
    names = {"CUDAExecutionProvider": "cuda", "CoreMLExecutionProvider": "mps"}
    return names.get(providers[0] if providers else "", "cpu")
