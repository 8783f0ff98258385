"""Models as one file for runtimes that know neither TensorFlow nor random numbers.

    onnx      ONNX, for onnxruntime and many others
    litert    LiteRT (TensorFlow Lite), for phones and small devices

The number of draws and the seed are chosen when the file is written. It answers as
`serving_default` of a SavedModel does, for any number of rows, and the same rows always
get the same answer. It does not check its inputs, as a SavedModel does: NaN gives NaN.
Each file is tried before it gets its name.
"""

import pathlib

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core.whole_file import whole_file
from bdlzoo.model import first_answer, litert_file, onnx_file, signatures
from bdlzoo.model.constant_graph import constant_graph
from bdlzoo.surgery import probe

FORMATS = {"onnx": onnx_file, "litert": litert_file}
_TOLERANCE = 1e-3  # Between runtimes; what is wrong is off by more.


def write(model, path, format, preprocessing=None, num_samples=None, seed=None):
    """Writes the answer of a model for classes or numbers.

    Args:
        model: Built model with a `fixed_answer`.
        path: Path of the file, which ends as the format asks for.
        format: `"onnx"` or `"litert"`.
        preprocessing: Functional Keras model with one input, which runs before this
            one; `None` for none.
        num_samples: Integer, draws that are fixed; `None` takes that of the model.
        seed: Integer or pair of integers, the seed of these draws; `None` takes that of
            the model.

    Returns:
        Path of the file.
    """
    kind, path = FORMATS[format], pathlib.Path(path)
    if path.suffix != kind.SUFFIX:
        raise ValueError(f"Expected a path that ends in {kind.SUFFIX}. Received: "
                         f"path={path}")
    answer = model.fixed_answer(num_samples, seed)
    rows = signatures.row_specs(model, preprocessing)
    specs = tf.nest.flatten(rows)

    def of_tensors(*parts):
        inputs = tf.nest.pack_sequence_as(rows, parts)
        if preprocessing is not None:
            inputs = preprocessing(inputs, training=False)
        return answer(inputs)

    asked = tf.function(of_tensors).get_concrete_function(*(
        tf.TensorSpec(spec.shape, spec.dtype) for spec in specs))
    first_answer.check(asked, specs, model.row_group)
    graph = constant_graph(of_tensors, specs)
    content = kind.content(graph, {
        "producer": "bdlzoo", "method": type(model).__name__,
        "num_samples": str(num_samples or model.num_samples),
        "seed": str(model.seed if seed is None else seed)})
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as part:
        part.write_bytes(content)
        some = probe.inputs(preprocessing or model.blueprint)
        some = [tf.repeat(part, model.row_group, axis=0)
                for part in keras.tree.flatten(some)]
        _compare(asked(*some), _answers(kind, part, graph, some))
    return path


def _answers(kind, path, graph, inputs):
    try:
        return kind.answers(path, graph, inputs)
    except ImportError:
        raise
    except Exception as error:  # Of any kind, as runtimes have their own.
        raise ValueError(
            "Expected a network that the runtime of the format can run: export as "
            "another format, such as `format=\"tf_saved_model\"`. Received: "
            f"{str(error).strip().splitlines()[0]}") from error


def _compare(wanted, found):
    """Raises where a file answers otherwise than the model."""
    for name, right in wanted.items():
        right = np.asarray(right)
        if right.dtype.kind != "f":  # Labels jump where two classes are equal.
            continue
        if not np.allclose(found[name], right, _TOLERANCE, _TOLERANCE, equal_nan=True):
            gap = np.max(np.abs(found[name] - right))
            raise ValueError(
                f"Expected a file that answers as the model to {_TOLERANCE}: export as "
                "`format=\"tf_saved_model\"`, and report this. Received: "
                f"{name} off by {gap:.3g}")
