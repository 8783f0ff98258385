"""Runs files of other formats as their users do."""

import importlib.util

import pytest
import tensorflow as tf

NEEDS_ONNX = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("onnx", "onnxruntime", "tf2onnx"))),
    reason="needs bdlzoo[onnx]")


def answers(path, format, rows):
    """Answers by name, for a model with one input."""
    return runner(path, format)(rows)


def runner(path, format):
    """Function from rows to answers by name."""
    if format == "litert":
        interpreter = tf.lite.Interpreter(str(path))
        run = interpreter.get_signature_runner("serving_default")
        return lambda rows: run(inputs=rows)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))
    names = [output.name for output in session.get_outputs()]
    return lambda rows: dict(zip(names, session.run(names, {"inputs": rows})))
