"""Training steps and draws of an LSTM with dropout, of the zoo and of plain Keras."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import layers, methods
from tools.benchmark.workers import keras_steps, protocol

BATCH_SIZE, LENGTH, WIDTH, UNITS, NUM_DRAWS = 64, 24, 8, 64, 32
RATES = {"dropout": 0.25, "recurrent_dropout": 0.25}
NUM_DATA = 10_000


def network(subject):
    """LSTM and a dense layer; `subject` is the contender."""
    recurrent = (layers.LSTMFlipout(UNITS) if subject == "flipout"
                 else keras.layers.LSTM(UNITS, use_cudnn=False, **RATES))
    return keras.Sequential([keras.Input((LENGTH, WIDTH)), recurrent,
                             keras.layers.Dense(1)])


def prepare(subject, workload, mode, steps):
    """`workload` is `step` or `draws`; `mode` is `graph` or `xla`."""
    x = np.random.default_rng(0).normal(size=(BATCH_SIZE, LENGTH, WIDTH))
    x = x.astype("float32")
    if workload == "step":
        return _steps(subject, x, mode, int(steps))
    return _draws(subject, tf.constant(x), int(steps))


def _steps(subject, x, mode, steps):
    arguments = keras_steps.compile_arguments(mode, steps)
    model, fit = network(subject), {}
    if subject == "keras":
        model.compile(loss="mse", **arguments)
    else:
        method = methods.MeanFieldVI if subject == "flipout" else methods.MCDropout
        model, fit = method(model, "gaussian", seed=0), {"num_data": NUM_DATA}
        model.compile(metrics=[], **arguments)
    data = tf.data.Dataset.from_tensors((x, x.sum((1, 2))[:, None])).repeat()
    model.fit(data, steps_per_epoch=steps, verbose=0, **fit)
    iterator = iter(data)
    return lambda: model.train_function(iterator)


def _draws(subject, x, steps):
    plain = network(subject)
    if subject == "keras":  # One pass, for any number of draws.
        once = tf.function(lambda x: plain(x, training=False))
        return lambda: [once(x).numpy() for _ in range(steps)]
    method = methods.MeanFieldVI if subject == "flipout" else methods.MCDropout
    model = method(plain, "gaussian", seed=0)
    return lambda: [model.sample_outputs(x, NUM_DRAWS, seed).numpy()
                    for seed in range(steps)]


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
