"""Training steps of a compiled model, as `fit` runs them; Keras 2 and 3."""

import numpy as np
import tensorflow as tf

from tools.benchmark.workers import training


def compile_arguments(mode, steps):
    """Arguments of `compile` for all Keras contenders; all steps run in one call."""
    return {"optimizer": "adam", "steps_per_execution": int(steps),
            "jit_compile": mode == "xla"}


def steps_of(model, workload, steps, **fit):
    """Returns a callable that trains a compiled model for `steps` steps.

    It calls the function that `fit` has made, and that `fit` calls: the same
    step, without the callbacks and logs of an epoch.
    """
    batches = training.batches(workload)
    if "unlabelled" in getattr(model, "side_data", ()):
        x, y, more, batch = half_labelled(model, *batches)
        model.fit(x, y, unlabelled=more, batch_size=batches[1].shape[1] // 2,
                  steps_per_epoch=int(steps), verbose=0, **fit)
        data = tf.data.Dataset.from_tensor_slices(batch).repeat()
    else:
        data = tf.data.Dataset.from_tensor_slices(batches).repeat()
        model.fit(data, steps_per_epoch=int(steps), verbose=0, **fit)
    iterator = iter(data)
    return lambda: model.train_function(iterator)


def half_labelled(model, x, y):
    """Batches of which the second half has no labels.

    Args:
        model: Model that learns from rows without labels.
        x: Inputs `[batches, rows, ...]`.
        y: Labels `[batches, rows]`.

    Returns:
        Labelled rows, their labels, the other rows, and the batches of all steps as
        the model takes them.
    """
    from bdlzoo.core.batches import Beside  # Not there for Keras 2.

    half = y.shape[1] // 2
    parts = x[:, :half], x[:, half:]
    rows = [part.reshape(-1, *x.shape[2:]) for part in parts]
    side = {"unlabelled": parts[1]}
    if model.numbers_rows:
        numbers = np.arange(y.size).reshape(2, len(y), half)
        side.update(rows=numbers[0], unlabelled_rows=numbers[1])
    labels = y[:, :half]
    return rows[0], labels.reshape(-1), rows[1], (Beside(parts[0], side), labels)


def predictions_of(model, workload, steps):
    """Returns a callable that predicts `steps` batches by `predict`."""
    x, _ = training.batches(workload)
    rows = np.resize(x, (int(steps) * training.BATCH_SIZE, *x.shape[2:]))
    return lambda: model.predict(rows, batch_size=training.BATCH_SIZE, verbose=0)
