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


def onnx_providers(device: str) -> list[str]:
    """Returns the execution providers of onnxruntime for a device, best first."""
    if device == "cuda":
        import onnxruntime

        if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
            return ["CUDAExecutionProvider", "CPUExecutionProvider"]
    return ["CPUExecutionProvider"]
