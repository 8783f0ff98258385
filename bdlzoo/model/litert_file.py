"""Writes a constant graph as a file of LiteRT, which was TensorFlow Lite."""

import importlib
import re
import warnings

import numpy as np
import tensorflow as tf

SUFFIX = ".tflite"
_NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)
_SIGNATURE = "serving_default"


def content(graph, about):
    """Bytes of the file.

    Args:
        graph: `ConstantGraph`.
        about: Dictionary of texts; this format does not keep them.

    Raises:
        ValueError: If a name or an operation of the graph has no form in LiteRT.
    """
    del about
    wrong = [name for name in graph.inputs if not _NAME.fullmatch(name)]
    if wrong:
        raise ValueError("Expected inputs named by letters, digits and underscores. "
                         f"Received: {wrong}")
    module = tf.Module()
    module.answer = tf.function(graph.run, autograph=False)
    known = tf.Graph()
    with known.as_default():
        tf.import_graph_def(graph.definition, name="")
    traced = module.answer.get_concrete_function(*(
        tf.TensorSpec(tensor.shape, tensor.dtype, name) for name, tensor in (
            (name, known.get_tensor_by_name(place))
            for name, place in graph.inputs.items())))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([traced], module)
    try:
        return converter.convert()
    except Exception as error:  # Of any kind: the converter has its own.
        raise ValueError(
            "Expected operations that LiteRT has: use other layers, or export as "
            "`format=\"tf_saved_model\"`. Received: "
            f"{str(error).strip().splitlines()[0]}") from error


def answers(path, graph, inputs):
    """Answers of a file, by name.

    Args:
        path: Path of the file.
        graph: `ConstantGraph` that was written to it.
        inputs: List of arrays, in the order of the graph.
    """
    run = _interpreter(str(path)).get_signature_runner(_SIGNATURE)
    return run(**{name: np.asarray(value)
                  for name, value in zip(graph.inputs, inputs, strict=True)})


def _interpreter(path):
    try:
        library = importlib.import_module("ai_edge_litert.interpreter")
    except ImportError:  # TensorFlow still has one, and warns that it will go.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return tf.lite.Interpreter(model_path=path)
    return library.Interpreter(model_path=path)
