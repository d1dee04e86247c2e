"""Exports token classifiers to ONNX and quantizes them to 8 bits."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from models.train import attention
from models.train.scoring import Forward

OPSET = 18


def to_onnx(model: Any, path: Path) -> None:
    """Writes ``input_ids``, ``attention_mask`` (batch, tokens) -> ``logits`` (batch, tokens, classes).

    The model should use eager attention: the exporter cannot trace every fused kernel.
    """
    from optimum.exporters.onnx import onnx_export_from_model

    with attention.for_export(), tempfile.TemporaryDirectory(dir=path.parent) as folder:
        # `check` of the release compares with torch on real passages; optimum would on random tokens.
        onnx_export_from_model(
            model.eval(), Path(folder), opset=OPSET, task="token-classification", do_validation=False
        )
        expose_states(Path(folder) / "model.onnx", path)


def expose_states(source: Path, out: Path) -> None:
    """Gives a classifier's graph a second output, ``states`` (batch, tokens, width): what its last matrix reads.

    Nobody pays for it who does not ask for it; `models/train_value` finds in it what a text may be asked for.
    """
    import onnx

    graph = (model := onnx.load(source)).graph
    by_output = {name: node for node in graph.node for name in node.output}
    node = by_output["logits"]
    while node.op_type not in ("MatMul", "Gemm"):
        node = next(by_output[name] for name in node.input if name in by_output)
    graph.node.append(onnx.helper.make_node("Identity", [node.input[0]], ["states"]))
    shape = ["batch", "tokens", None]
    graph.output.append(onnx.helper.make_tensor_value_info("states", onnx.TensorProto.FLOAT, shape))
    onnx.save(model, out)


def quantize(source: Path, out: Path, kept: Sequence[str] = ()) -> None:
    """Quantizes weights to int8, per output channel; activations are quantized as they come.

    Args:
        source: the float model.
        out: where the int8 model goes.
        kept: parts of the names of matrix products that stay in float32.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as folder:
        prepared = Path(folder) / "prepared.onnx"
        quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
        names = [node.name for node in onnx.load(prepared).graph.node] if kept else []
        quantize_dynamic(
            str(prepared),
            str(out),
            op_types_to_quantize=["MatMul", "Gather"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=[name for name in names if any(part in name for part in kept)],
        )


def onnx_forward(path: Path, threads: int = 1) -> Forward:
    """Loads an ONNX model as a function from ids and mask to logits."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def forward(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        (logits,) = session.run(["logits"], {"input_ids": ids, "attention_mask": mask})
        return np.asarray(logits)

    return forward
