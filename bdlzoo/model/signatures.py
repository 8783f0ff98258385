"""What a served model answers.

    serving_default(inputs)                the seed and count of the export
    predict(inputs, num_samples, seed)     those of the request
    samples(inputs, num_samples, seed)     raw draws, `[S, B, ...]`

Only the first can be batched by a server: the others carry one count and one
seed for all rows, of shapes `[1]` and `[1, 2]`, since a server wants a leading
dimension everywhere. No variable is assigned while serving.
"""

import os
import pathlib
import tempfile

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.model import keras_internals


def write(model, path, **kwargs):
    """Writes the next version below `path`, whole or not at all.

    Returns:
        Path of the version.
    """
    rows = _row_specs(model)
    counts = tf.TensorSpec([1], tf.int32, "num_samples")
    seeds = tf.TensorSpec([1, 2], tf.int32, "seed")

    def serving_default(inputs):
        return model.predictive(inputs).measures()

    def predict(inputs, num_samples, seed):
        key = noise.key(seed, noise.PREDICT)
        return model.answer(inputs, num_samples[0], key).measures()

    def samples(inputs, num_samples, seed):
        key = noise.key(seed, noise.PREDICT)
        return {"samples": model.draw(inputs, num_samples[0], key)}

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("serving_default", serving_default, [rows])
    archive.add_endpoint("predict", predict, [rows, counts, seeds])
    archive.add_endpoint("samples", samples, [rows, counts, seeds])
    path = pathlib.Path(path)
    path.mkdir(parents=True, exist_ok=True)
    # Servers look for folders with numbers: a half-written one has none.
    with tempfile.TemporaryDirectory(prefix=".part-", dir=path) as part:
        archive.write_out(os.path.join(part, "model"), **kwargs)
        version = 1 + max([int(p.name) for p in path.iterdir()
                           if p.name.isdecimal()], default=0)
        os.rename(os.path.join(part, "model"), path / str(version))
    return path / str(version)


def _row_specs(model):
    functional = keras_internals.graph(model.network)
    if functional is not None and len(functional.inputs) > 1:
        raise ValueError(
            "Expected a network with one input: the signatures name one tensor. "
            f"Join them into one. Received: {len(functional.inputs)} inputs")
    shape = model.get_build_config()["input_shape"]
    dtype = functional.inputs[0].dtype if functional is not None else "float32"
    return tf.TensorSpec((None, *shape[1:]), tf.as_dtype(dtype), "inputs")
