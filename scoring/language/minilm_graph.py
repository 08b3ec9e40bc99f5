"""The weights of all-MiniLM-L6-v2 go in; an ONNX graph, and the arrays it wants from outside, come out.

A BERT of six layers: embeddings, then self-attention and a feed-forward net, each added to its input
and normalised, six times over; then the sum of the token vectors, scaled to length one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH = 384
TOKENS = 256

_LAYERS, _HEADS = 6, 12
_EPSILON = 1e-12
# ONNX Runtime's own operators: what its optimiser would make of the standard ones, without the wait.
_FUSED = "com.microsoft"
# Biases and norms travel inside the graph; what is larger is handed over in memory.
_INLINE_BYTES = 16_384

Weights = Callable[[str], NDArray[np.float32]]
Named = Iterator[tuple[str, NDArray[Any]]]


def build(weights: Weights) -> tuple[bytes, dict[str, NDArray[np.float32]]]:
    """Write the network as an ONNX model; the second part is what to pass as external initialisers."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415 - heavy, and only wanted here

    arrays = dict(_arrays(weights))
    large = {name: array for name, array in arrays.items() if array.nbytes > _INLINE_BYTES}
    inline = [numpy_helper.from_array(array, name) for name, array in arrays.items() if name not in large]
    outside = [_placeholder(TensorProto, name, array) for name, array in large.items()]
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"]),
        helper.make_tensor_value_info("mask", TensorProto.INT32, ["texts", "tokens"]),
    ]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", WIDTH])]
    graph = helper.make_graph(list(_nodes(helper.make_node)), "MiniLM", inputs, outputs, inline + outside)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(_FUSED, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString(), large


def _placeholder(proto: Any, name: str, array: NDArray[np.float32]) -> Any:
    tensor = proto(name=name, data_type=proto.FLOAT, dims=array.shape, data_location=proto.EXTERNAL)
    tensor.external_data.add(key="location", value="memory")
    return tensor


def _arrays(weights: Weights) -> Named:
    yield "words", weights("embeddings.word_embeddings.weight")
    # A text is one segment, so the segment's vector can be added to every position beforehand.
    segment = weights("embeddings.token_type_embeddings.weight")[0]
    yield "positions", weights("embeddings.position_embeddings.weight")[:TOKENS] + segment
    yield from (("axis 0", np.array([0])), ("axis 1", np.array([1])))
    yield from _norm("norm", weights, "embeddings.LayerNorm")
    for layer in range(_LAYERS):
        yield from _layer_arrays(layer, weights, f"encoder.layer.{layer}")


def _layer_arrays(layer: int, weights: Weights, source: str) -> Named:
    parts = [f"{source}.attention.self.{part}" for part in ("query", "key", "value")]
    yield f"{layer} query key value", _columns(np.concatenate([weights(f"{part}.weight") for part in parts]))
    yield f"{layer} query key value bias", np.concatenate([weights(f"{part}.bias") for part in parts])
    yield from _dense(f"{layer} mix", weights, f"{source}.attention.output.dense")
    yield from _norm(f"{layer} mix norm", weights, f"{source}.attention.output.LayerNorm")
    yield from _dense(f"{layer} widen", weights, f"{source}.intermediate.dense")
    yield from _dense(f"{layer} narrow", weights, f"{source}.output.dense")
    yield from _norm(f"{layer} narrow norm", weights, f"{source}.output.LayerNorm")


def _dense(name: str, weights: Weights, source: str) -> Named:
    yield name, _columns(weights(f"{source}.weight"))
    yield f"{name} bias", weights(f"{source}.bias")


def _norm(name: str, weights: Weights, source: str) -> Named:
    yield name, weights(f"{source}.weight")
    yield f"{name} bias", weights(f"{source}.bias")


def _columns(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Lay a matrix out as ONNX multiplies it: inputs by outputs."""
    return np.ascontiguousarray(matrix.T)


def _nodes(node: Callable[..., Any]) -> Iterator[Any]:
    yield node("Shape", ["ids"], ["length"], start=1, end=2)
    yield node("Slice", ["positions", "axis 0", "length", "axis 0"], ["places"])
    yield node("Gather", ["words", "ids"], ["looked up"])
    yield node("Add", ["looked up", "places"], ["placed"])
    yield node("LayerNormalization", ["placed", "norm", "norm bias"], ["0 in"], epsilon=_EPSILON)
    for layer in range(_LAYERS):
        yield from _layer_nodes(node, layer)
    yield node("Cast", ["mask"], ["mask of floats"], to=1)
    yield node("Unsqueeze", ["mask of floats", "axis 1"], ["mask as rows"])
    yield node("MatMul", ["mask as rows", f"{_LAYERS} in"], ["sums as rows"])
    yield node("Squeeze", ["sums as rows", "axis 1"], ["sums"])
    # The mean has the direction of the sum, and only the direction is kept.
    yield node("LpNormalization", ["sums"], ["vectors"], p=2)


def _layer_nodes(node: Callable[..., Any], layer: int) -> Iterator[Any]:
    def at(*names: str) -> list[str]:
        return [f"{layer} {name}" for name in names]

    attention = [*at("in", "query key value", "query key value bias"), "mask"]
    yield node("Attention", attention, at("attended"), domain=_FUSED, num_heads=_HEADS)
    yield node("MatMul", at("attended", "mix"), at("mixed"))
    first = at("in", "mixed", "mix norm", "mix norm bias", "mix bias")
    yield node("SkipLayerNormalization", first, at("middle"), domain=_FUSED, epsilon=_EPSILON)
    yield node("MatMul", at("middle", "widen"), at("wide"))
    yield node("BiasGelu", at("wide", "widen bias"), at("bent"), domain=_FUSED)
    yield node("MatMul", at("bent", "narrow"), at("narrowed"))
    second = at("middle", "narrowed", "narrow norm", "narrow norm bias", "narrow bias")
    yield node("SkipLayerNormalization", second, [f"{layer + 1} in"], domain=_FUSED, epsilon=_EPSILON)
