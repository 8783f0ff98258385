"""Signatures of exported models.

    serving_default(inputs)                with the seed and count of the export
    predict(inputs, num_samples, seed)     with those of the request
    samples(inputs, num_samples, seed)     raw draws, `[S, B, ...]`
    generate(num_samples, seed)            rows of a generative model
    transfer(inputs, labels)               rows as those of other classes
    decode(code)                           rows of codes that `encode` returned

The `endpoints` of a model say which of them it has. A model with several inputs has
their names in place of `inputs`; where one of them is called `num_samples` or `seed`,
the count or the seed of a request is `request_num_samples` or `request_seed`. A server
can batch only the signatures without count and seed; the others have one count and one
seed for all rows, of shapes `[1]` and `[1, 2]`, because a server needs a leading
dimension. No variable is assigned while serving. A model with a conformal threshold
also returns sets, or ends of intervals.

A request fails with INVALID_ARGUMENT if it has NaN or infinity, rows of another shape,
no rows, or a count below 1 or above the cap. The checks are outside of the part that
XLA compiles, because XLA would remove them.
"""

import inspect

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.surgery import input_form

_MAX_SAMPLES = 1024


def signatures(model, functions, preprocessing=None, jit_compile=False,
               max_samples=None):
    """Makes the functions and specs by name, for `saved_model.write`.

    Args:
        model: Built `StochasticModel` with `num_samples`.
        functions: Dictionary from a name to a pair: a function, and the names of its
            arguments, some of `("inputs", "num_samples", "seed", "labels")`, or specs
            of other tensors of rows. The function gets a key in place of the seed.
            Labels are integers of rows, for a model with `num_classes`.
        preprocessing: Keras model from the inputs of requests to the inputs of the
            network, such as those of `bdlzoo.serving.preprocessing`; `None` for none.
        jit_compile: Bool, whether XLA compiles the functions: on the server, once for
            every size of a batch and every number of draws.
        max_samples: Integer, largest number of draws of a request; `None` is 1,024, or
            the number of draws of the model if that is larger.
    """
    readers = _readers(model, preprocessing, _cap(model, max_samples))
    return {name: _signature(function, dict(
                (word, readers[word]) if word in readers else (word.name, _reader(word))
                for word in words), jit_compile)
            for name, (function, words) in functions.items()}


def of_predictions(model, **options):
    """Signatures of a `PredictiveModel`.

    Args:
        model: Built `PredictiveModel`.
        **options: Arguments of `signatures`: `preprocessing`, `jit_compile` and
            `max_samples`.
    """
    def predict(inputs, num_samples, key):
        return model.measures(inputs, model.asked(num_samples), key)

    def samples(inputs, num_samples, key):
        return {"samples": model.draw(inputs, model.asked(num_samples), key)}

    words = "inputs", "num_samples", "seed"
    return signatures(model, {
        "serving_default": (lambda inputs: model.measures(inputs), words[:1]),
        "predict": (predict, words), "samples": (samples, words)}, **options)


def row_specs(model, preprocessing=None):
    """Specs of the rows of a request, in the structure of the inputs.

    Args:
        model: Built `StochasticModel`.
        preprocessing: Keras model that runs first, or `None`.
    """
    if preprocessing is not None:
        return _specs(preprocessing)
    return input_form.specs(model.blueprint, model.get_build_config()["input_shape"])


def request_name(word, inputs):
    """Name of the count or the seed in a request, which no input has.

    Args:
        word: String, `"num_samples"` or `"seed"`.
        inputs: Names of the inputs.
    """
    return f"request_{word}" if word in inputs else word


def _cap(model, max_samples):
    cap = max(_MAX_SAMPLES, model.num_samples) if max_samples is None else max_samples
    if cap < model.num_samples:
        raise ValueError("Expected at least the number of draws of the model, "
                         f"{model.num_samples}. Received: max_samples={max_samples}")
    return cap


def _readers(model, preprocessing, cap):
    """Spec of each argument of a request, and a function that checks and reads it."""
    rows = row_specs(model, preprocessing)
    taken = [spec.name for spec in tf.nest.flatten(rows)]
    counts = tf.TensorSpec([1], tf.int32, request_name("num_samples", taken))
    seeds = tf.TensorSpec([1, 2], tf.int32, request_name("seed", taken))
    classes = tf.TensorSpec([None], tf.int32, request_name("labels", taken))

    def read_rows(inputs):
        inputs = tf.nest.map_structure(_of_shape, inputs, rows)
        if preprocessing is not None:
            inputs = preprocessing(inputs, training=False)
        return _checked(inputs)

    def read_count(num_samples):
        count = _of_shape(num_samples, counts)[0]
        check = tf.debugging.Assert((count >= 1) & (count <= cap), [
            f"Expected num_samples from 1 to {cap}. Received: num_samples=", count])
        with tf.control_dependencies([check]):
            return tf.identity(count)

    def read_seed(seed):
        return noise.key(_of_shape(seed, seeds), noise.PREDICT)

    def read_labels(labels):
        labels = _of_shape(labels, classes)
        last = model.num_classes - 1
        check = tf.debugging.Assert(
            tf.reduce_all((labels >= 0) & (labels <= last)),
            [f"Expected labels from 0 to {last}. Received: labels=", labels])
        with tf.control_dependencies([check]):
            return tf.identity(labels)

    return {"inputs": (rows, read_rows), "num_samples": (counts, read_count),
            "seed": (seeds, read_seed), "labels": (classes, read_labels)}


def _reader(spec):
    """A spec, and a function that checks tensors of rows of it."""
    return spec, lambda rows: _checked(_of_shape(rows, spec))


def _signature(function, readers, jit_compile):
    """Function of the tensors of a request, and their specs."""
    if jit_compile:
        function = tf.function(function, autograph=False, jit_compile=True)
    specs, reads = zip(*readers.values())

    def answer(*asked):
        return function(*(read(part) for read, part in zip(reads, asked, strict=True)))

    # The names of the arguments are the names in a request.
    answer.__signature__ = inspect.Signature([
        inspect.Parameter(word, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for word in readers])
    return answer, list(specs)


def _of_shape(tensor, spec):
    # Servers do not check the shape of a signature. Without this check, rows with the
    # right number of values in a wrong shape would get an answer.
    return tf.ensure_shape(tensor, spec.shape)


def _checked(inputs):
    """Inputs of the network, after checks of rows and values."""
    parts = tf.nest.flatten(inputs)
    sizes = tf.stack([tf.shape(part)[0] for part in parts])
    checks = [tf.debugging.Assert(
        tf.reduce_all((sizes > 0) & (sizes == sizes[0])),
        ["Expected at least one row, and as many for each input. Received: rows=",
         sizes])]
    checks += [tf.debugging.Assert(
        tf.reduce_all(tf.math.is_finite(part)),
        ["Expected finite inputs. Received: numbers that are not finite, ",
         tf.reduce_sum(tf.cast(~tf.math.is_finite(part), tf.int32))])
        for part in parts if part.dtype.is_floating]
    with tf.control_dependencies(checks):
        return tf.nest.map_structure(tf.identity, inputs)


def _spec(shape, name, dtype):
    return tf.TensorSpec((None, *shape[1:]), tf.as_dtype(dtype), name)


def _specs(preprocessing):
    """Specs of the inputs of requests, from the inputs of the Keras model."""
    functional = keras_internals.graph(preprocessing) if isinstance(
        preprocessing, keras.Model) else None
    if functional is None or len(functional.inputs) != 1:
        raise ValueError(
            "Expected a functional or Sequential Keras model with one input as "
            "pre-processing, such as `keras.Sequential([keras.Input((4,)), "
            "keras.layers.Normalization(mean=m, variance=v)])`. Received: "
            f"preprocessing={preprocessing!r}")
    [raw] = functional.inputs
    return _spec(raw.shape, input_form.given_name(raw, "inputs"), raw.dtype)
