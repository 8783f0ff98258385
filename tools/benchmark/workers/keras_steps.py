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
    data = tf.data.Dataset.from_tensor_slices(training.batches(workload)).repeat()
    model.fit(data, steps_per_epoch=int(steps), verbose=0, **fit)
    iterator = iter(data)
    return lambda: model.train_function(iterator)


def predictions_of(model, workload, steps):
    """Returns a callable that predicts `steps` batches by `predict`."""
    x, _ = training.batches(workload)
    rows = np.resize(x, (int(steps) * training.BATCH_SIZE, *x.shape[2:]))
    return lambda: model.predict(rows, batch_size=training.BATCH_SIZE, verbose=0)
