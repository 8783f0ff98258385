"""What a served model answers.

    serving_default(inputs)                the seed and count of the export
    predict(inputs, num_samples, seed)     those of the request
    samples(inputs, num_samples, seed)     raw draws, `[S, B, ...]`

Only the first can be batched by a server: the others carry one count and one
seed for all rows, of shapes `[1]` and `[1, 2]`, since a server wants a leading
dimension everywhere. No variable is assigned while serving. A model with a
conformal threshold also answers with its sets (or the ends of its intervals).
"""

import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.model import keras_internals


def endpoints(model):
    """Signatures of a `PredictiveModel`: functions and specs by name."""
    rows = _row_specs(model)
    counts = tf.TensorSpec([1], tf.int32, "num_samples")
    seeds = tf.TensorSpec([1, 2], tf.int32, "seed")
    covering = model.calibration.is_conformal()

    def serving_default(inputs):
        return model.predictive(inputs).measures(covering)

    def predict(inputs, num_samples, seed):
        key = noise.key(seed, noise.PREDICT)
        count = model.asked(num_samples[0])
        return model.answer(inputs, count, key).measures(covering)

    def samples(inputs, num_samples, seed):
        key = noise.key(seed, noise.PREDICT)
        count = model.asked(num_samples[0])
        return {"samples": model.draw(inputs, count, key)}

    return {"serving_default": (serving_default, [rows]),
            "predict": (predict, [rows, counts, seeds]),
            "samples": (samples, [rows, counts, seeds])}


def _row_specs(model):
    functional = keras_internals.graph(model.network)
    if functional is not None and len(functional.inputs) > 1:
        raise ValueError(
            "Expected a network with one input: the signatures name one tensor. "
            f"Join them into one. Received: {len(functional.inputs)} inputs")
    shape = model.get_build_config()["input_shape"]
    dtype = functional.inputs[0].dtype if functional is not None else "float32"
    return tf.TensorSpec((None, *shape[1:]), tf.as_dtype(dtype), "inputs")
