"""Small models that learn from few labels, and rows for them."""

import keras
import numpy as np

rng = np.random.default_rng(0)
X = rng.normal(size=(8, 3)).astype("float32")
Y = np.arange(8) % 4
MORE = rng.normal(size=(24, 3)).astype("float32")


def network(dropout=0.0, normalised=False):
    keras.utils.set_random_seed(1)
    layers = [keras.Input((3,)), keras.layers.Dense(6, activation="tanh")]
    layers += [keras.layers.BatchNormalization(momentum=0.9)] * normalised
    layers += [keras.layers.Dropout(dropout)] * bool(dropout)
    return keras.Sequential([*layers, keras.layers.Dense(4)])


def compiled(kind, rate=0.1, dropout=0.0, normalised=False, **arguments):
    """A model of a kind with plain gradient descent."""
    model = kind(network(dropout, normalised), seed=3,
                 **{"ramp_steps": 0, "num_samples": 2, **arguments})
    model.compile(keras.optimizers.SGD(rate), steps_per_execution=1)
    return model


def fitted(model, **options):
    """The model after an epoch of three steps, and its logs."""
    logs = model.fit(X, Y, verbose=0, **{
        "unlabelled": MORE, "batch_size": 8, "shuffle": False, **options}).history
    return model, logs
