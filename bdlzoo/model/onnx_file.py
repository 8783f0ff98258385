"""Writes a constant graph as a file of ONNX."""

import importlib

import numpy as np

SUFFIX = ".onnx"
_BATCH = "rows"  # Name of the open size in the file.


def content(graph, about):
    """Bytes of the file.

    Args:
        graph: `ConstantGraph`.
        about: Dictionary of texts that the file keeps as metadata.

    Raises:
        ImportError: If a package is missing.
        ValueError: If an operation of the graph has no form in ONNX.
    """
    onnx, converter = _package("onnx"), _package("tf2onnx.convert")
    names = {place: name for part in (graph.inputs, graph.outputs)
             for name, place in part.items()}
    try:
        made, _ = converter.from_graph_def(
            graph.definition, name="bdlzoo", input_names=list(graph.inputs.values()),
            output_names=list(graph.outputs.values()), tensors_to_rename=names)
        _name_sizes(made)
        onnx.helper.set_model_props(made, about)
        onnx.checker.check_model(made)
    except Exception as error:  # Of any kind, as what an operation needs is its own.
        raise ValueError(
            "Expected operations that ONNX has: use other layers, or export as "
            f"`format=\"tf_saved_model\"`. Received: {error}") from error
    return made.SerializeToString()


def answers(path, graph, inputs):
    """Answers of a file, by name.

    Args:
        path: Path of the file.
        graph: `ConstantGraph` that was written to it.
        inputs: List of arrays, in the order of the graph.
    """
    runtime = _package("onnxruntime")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    named = zip(graph.inputs, inputs, strict=True)
    found = session.run(list(graph.outputs),
                        {name: np.asarray(value) for name, value in named})
    return dict(zip(graph.outputs, found))


def _name_sizes(made):
    """Gives the open size of all rows one name, in place of those made up."""
    for value in (*made.graph.input, *made.graph.output):
        sizes = value.type.tensor_type.shape.dim
        if sizes and not sizes[0].HasField("dim_value"):
            sizes[0].dim_param = _BATCH


def _package(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(
            f"Expected the package {name.split('.')[0]} for ONNX: run `pip install "
            f"bdlzoo[onnx]`. Received: {error}") from error
