"""Draws and predictions within a budget of memory, whatever the rows and draws.

    sums = sums of the first part of the draws, merged with those of the next, ...

Draws of all rows are held where they fit. Where they do not, each part of the draws of
some rows is summed as it comes, and only the sums stay. In eager calls rows come in
chunks, and the measures of a chunk are all that is kept of it. In a graph, such as a
served one, all rows of the batch are one chunk.

A prediction that can be summed has `pilot_draws`, `held_draws`, `sums`, `of_sums`,
`summary`, `summarised` and `joined`, as `ClassPrediction` has. Draws of other
predictions are held in all cases.
"""

import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo.core import batches, keras_internals, noise, written_out
from bdlzoo.core.checks import check_count
from bdlzoo.core.draw_places import places
from bdlzoo.surgery import conversion, input_shape, memory

_MAP = 8
_ROWS = 2**10  # Rows of a batch, and draws of a request, that are not known yet.


def draws(model, inputs, num_samples, seed):
    """Draws `[S, B, ...]` of a model, for `PredictiveModel.sample_outputs`."""
    if batches.is_stream(inputs):
        return tf.concat([draws(model, batch, num_samples, seed)
                          for batch in batches.inputs_of(inputs)], axis=1)
    inputs, count, seed = _asked(model, inputs, num_samples, seed)
    if not tf.executing_eagerly():
        return model.draw(inputs, count, noise.key(seed, noise.PREDICT))
    return _draws(model, inputs, count, seed)


def draws_or_summary(model, inputs, num_samples, seed):
    """Draws of arrays where they fit; else the prediction without calibration."""
    inputs, count, pair = _asked(model, inputs, num_samples, seed)
    size = count * batches.num_rows(inputs) * (
        _row_numbers(model, inputs) or _tried(model, inputs, pair))
    if memory.can_hold(size) or count <= getattr(_blank(model), "held_draws", np.inf):
        return _draws(model, inputs, count, pair)
    return predict(model, inputs, count, pair, corrected=False)


def predict(model, inputs, num_samples, seed, corrected=True):
    """Prediction of a model, for `PredictiveModel.predict_uncertainty`.

    Args:
        model: `PredictiveModel`.
        inputs: Arrays or tensors, or a dataset.
        num_samples: Integer or `None`.
        seed: Integer, pair of integers, or `None`.
        corrected: Bool, whether the calibration of the model is applied.
    """
    held, parts, size = [], [], 0
    # Read once, because a dataset may shuffle its rows each time.
    for batch in batches.inputs_of(inputs):
        batch, count, pair = _asked(model, batch, num_samples, seed)
        if not tf.executing_eagerly():
            return answer(model, batch, count, noise.key(pair, noise.PREDICT))[0]
        finish = _Finish(model, noise.key(pair, noise.PREDICT), corrected)
        numbers = _row_numbers(model, batch) or _tried(model, batch, pair)
        size += count * numbers * batches.num_rows(batch)
        kind = None if not parts and memory.can_hold(size) else _blank(model)
        if not parts and (kind is None or getattr(kind, "joined", None) is None):
            held.append((batch, _draws(model, batch, count, pair)))
            continue
        summing = count > kind.held_draws
        while held:
            rows, outputs = held.pop(0)
            parts.append(finish.summed(rows, outputs) if summing else finish.whole(
                [(rows, outputs)]))
        step = min(_rows_at_once(model), memory.rows_to_sum(numbers, count))
        for rows in _chunks(model, batch, step):
            if summing:
                summary = model._sum_from_seed(rows, tf.constant(count), pair)
                parts.append(finish.summarised(rows, summary, count))
            else:
                outputs = model._draw_from_seed(rows, tf.constant(count), pair)
                parts.append(finish.whole([(rows, outputs)]))
        if not model._compared_draws:
            _draws(model, batches.take(batch, slice(model.row_group)), 2, pair)
    return type(parts[0]).joined(parts) if parts else finish.whole(held)


def answer(model, inputs, num_samples, key, extras=None):
    """Calibrated prediction of a batch, inside of a graph.

    Args:
        model: Built `PredictiveModel`.
        inputs: Inputs of the network.
        num_samples: Integer or scalar tensor.
        key: Key of the draws.
        extras: Function from draws `[S, B, ...]` to a dictionary of tensors, means
            over the draws; `None` for none.

    Returns:
        Prediction and dictionary.
    """
    # In a graph there are always sets; until they are fitted, with all classes.
    uniforms = model._uniforms(inputs, key)
    extras = extras or (lambda draws: {})
    if _fits(model, inputs, num_samples):
        outputs = model.draw(inputs, num_samples, key)
        prediction, further = model.likelihood.prediction(outputs), extras(outputs)
    else:
        prediction, further = _summed(model, inputs, num_samples, key, extras)
    return model.calibration.correct(model.refined(prediction, inputs),
                                     uniforms), further


def functions(model):
    """Graphs for eager calls, of inputs, count and seed: draws, and their summary.

    Counts and seeds are tensors, so that a new value does not trace a graph again.
    """
    def of_seed(function):
        return tf.function(lambda inputs, num_samples, seed: function(
            inputs, num_samples, noise.key(seed, noise.PREDICT)), reduce_retracing=True)

    return of_seed(lambda *asked: model.draw(*asked)), of_seed(
        lambda *asked: _summed(model, *asked, lambda draws: {})[0].summary)


def parts_of_draws(model, inputs, num_samples, key):
    """The function of `model.draw_parts`, also if only `draw` was overridden."""
    kinds = type(model).__mro__
    drawing, parting = (next(place for place, kind in enumerate(kinds)
                             if word in vars(kind)) for word in ("draw", "draw_parts"))
    if parting <= drawing and "draw" not in vars(model):
        return model.draw_parts(inputs, num_samples, key)
    whole = model.draw(inputs, num_samples, key)
    return lambda first, count: tf.gather(whole, places(first, count, num_samples))


def _summed(model, inputs, num_samples, key, extras):
    """Uncorrected prediction from sums over all draws, and means of the extras."""
    part = parts_of_draws(model, inputs, num_samples, key)
    first = tf.nest.flatten(inputs)[0]
    rows = first.shape[0] or tf.shape(first)[0]
    sizes = model._output_dims[1:]
    blank_draws = tf.zeros([1, rows, *(size or 1 for size in sizes)])
    blank, further = model.likelihood.prediction(blank_draws), extras(blank_draws)
    numbers = _row_numbers(model, inputs)
    if numbers is None or further:  # One by one: the size, or the use, is not known.
        size = model.draw_group if numbers is None else 1
    else:
        size = memory.draws_to_sum(rows, numbers, num_samples, model.draw_group)

    def loop(count, guide=None):
        def add(done, sums, further):
            outputs = part(done, size)
            weights = done + tf.range(size) < count
            new = model.likelihood.prediction(outputs).sums(weights, guide)
            return done + size, sums.merged(new), tf.nest.map_structure(
                tf.add, further, extras(outputs) if further else {})

        start = (tf.zeros([], tf.int32), blank.sums(tf.ones([1]), guide).cleared(),
                 tf.nest.map_structure(tf.zeros_like, further))
        # Sizes of positions may be open; an axis after them is that of the outputs.
        shapes = tf.nest.map_structure(
            lambda t: t.shape if None not in sizes else tf.TensorShape(
                [None] * t.shape.rank if t.shape.rank <= len(sizes) else
                [*[None] * (t.shape.rank - 1), t.shape[-1]]), start)
        return tf.while_loop(lambda done, *_: done < count, add, start, shapes,
                             parallel_iterations=1)[1:]

    guide = None
    if blank.pilot_draws:
        guide, _ = loop(tf.minimum(num_samples, blank.pilot_draws))
    sums, further = loop(num_samples, guide)
    return blank.of_sums(sums, num_samples, guide), tf.nest.map_structure(
        lambda t: t / tf.cast(num_samples, t.dtype), further)


class _Finish:
    """Makes predictions of chunks of rows, in eager calls."""

    def __init__(self, model, key, corrected):
        self.model, self.key, self.corrected = model, key, corrected
        self.covering = corrected and model.calibration.is_conformal()

    def whole(self, held):
        """Prediction of all rows from held draws."""
        rows, outputs = zip(*held, strict=True)
        outputs = outputs[0] if len(outputs) == 1 else tf.concat(outputs, axis=1)
        return self._corrected(self.model.likelihood.prediction(outputs), *rows)

    def summed(self, rows, outputs):
        """Prediction of rows whose draws were held, without the draws."""
        prediction = self.model.likelihood.prediction(outputs)
        count = len(outputs)
        every = tf.ones([count])
        guide = prediction.sums(every) if prediction.pilot_draws else None
        return self._corrected(prediction.of_sums(
            prediction.sums(every, guide), count, guide), rows)

    def summarised(self, rows, summary, count):
        """Prediction of rows from the summary of their draws."""
        blank = _blank(self.model)
        prediction = blank.summarised(summary._replace(num_draws=count))
        return self._corrected(prediction, rows)

    def _corrected(self, prediction, *rows):
        if not self.corrected:
            return prediction
        uniforms = tf.concat([self.model._uniforms(part, self.key) for part in rows],
                             axis=0) if self.covering else None
        return self.model.calibration.correct(
            self.model.refined(prediction, *rows), uniforms)


def _asked(model, inputs, num_samples, seed):
    """Checked inputs as tensors, number of draws, and seed as a tensor."""
    count = model.num_samples if num_samples is None else num_samples
    if not tf.is_tensor(count):
        check_count("num_samples", count)
    inputs = tf.nest.map_structure(tf.convert_to_tensor, model.as_inputs(inputs))
    model.build_once(inputs)
    with tf.init_scope():  # In a graph only its shapes are known.
        model.check_ready()
        if num_samples is not None and not tf.is_tensor(num_samples):
            model.check_draws(num_samples)
    if tf.executing_eagerly():
        count = int(count)
        model.check_inputs(inputs)
    else:
        input_shape.check(model.blueprint, inputs)
    return inputs, count, noise.as_seed(model.seed if seed is None else seed)


def _draws(model, inputs, count, seed):
    # A draw is one network, so the size of chunks of rows has no effect.
    found = [model._draw_from_seed(rows, tf.constant(count), seed)
             for rows in _chunks(model, inputs, _rows_at_once(model))]
    _tell_of_equal_draws(model, count, found[0])
    return found[0] if len(found) == 1 else tf.concat(found, axis=1)


def _rows_at_once(model):
    return memory.rows_at_once(model._row_bytes, model._weight_bytes)


def _chunks(model, inputs, step):
    step = max(step - step % model.row_group, model.row_group)
    for start in range(0, batches.num_rows(inputs), step):
        yield batches.take(inputs, slice(start, start + step))


def _row_numbers(model, inputs):
    """Outputs of a row, as memory counts them; `None` if their size is not known."""
    shape = tf.TensorShape(model._output_dims[1:])
    if not shape.is_fully_defined() and keras_internals.graph(model.blueprint):
        shape = tf.TensorShape(model.blueprint.compute_output_shape(
            batches.row_shapes(inputs))[1:])
    numbers = shape.num_elements()
    return None if numbers is None else _weight(shape) * numbers


def _tried(model, inputs, seed):
    """Outputs of a row, from one draw of a few rows."""
    [some] = model._draw_from_seed(
        batches.take(inputs, slice(model.row_group)), tf.constant(1), seed)
    return _weight(some.shape[1:]) * some.shape[1:].num_elements()


def _weight(shape):
    """Factor of the outputs of a row in what is held: maps of images are streamed.

    An answer has half a dozen maps beside its draws, and small parts of the draws of an
    image stay in the cache.
    """
    return _MAP if shape.rank > 2 else 1


def _fits(model, inputs, num_samples):
    """Whether the draws of a batch are held, as far as a graph can know."""
    if written_out.is_on():  # Without a loop there is nothing to sum in.
        return True
    numbers = _row_numbers(model, inputs)
    rows = tf.nest.flatten(inputs)[0].shape[0] or _ROWS
    count = (tf.get_static_value(num_samples) if tf.is_tensor(num_samples)
             else num_samples) or _ROWS
    if numbers is not None and memory.can_hold(rows * numbers * count):
        return True
    return count <= getattr(_blank(model), "held_draws", np.inf)


def _blank(model):
    shape = [size or 1 for size in model._output_dims[1:]]
    return model.likelihood.prediction(tf.zeros([1, model.row_group, *shape]))


def _tell_of_equal_draws(model, count, found):
    """Warns once if draws that should differ are all equal.

    Args:
        model: `PredictiveModel`.
        count: Integer, number of draws.
        found: Draws `[S, B, ...]`.
    """
    if model._compared_draws or count == 1 or not model.draws_differ or (
            model.stores_draws):
        return
    model._compared_draws = True
    if not bool(tf.reduce_all(tf.equal(*found[:2]))):
        return
    drawing = conversion.stochastic_layers(model.network)
    silent = [layer.name for layer in keras_internals.layers(model.network)
              if "dropout" in type(layer).__name__.lower() and layer not in drawing]
    cause = "no layer of its network draws noise" if not drawing else (
        f"the noise of {', '.join(layer.name for layer in drawing)} does not reach "
        "the outputs, or its rate or scale is 0")
    if silent:
        cause += f" (these layers are not known to the zoo: {', '.join(silent)})"
    logging.warning(
        "All draws of %s are equal, so it shows no uncertainty of its weights: %s. Put "
        "`keras.layers.Dropout` into the network, or convert it by "
        "`bdlzoo.bayesianize`; `Deterministic` is the method without draws.",
        type(model).__name__, cause)
