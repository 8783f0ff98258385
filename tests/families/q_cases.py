"""Small Q-networks, whose weights are known."""

import keras
import numpy as np

from bdlzoo.worlds import DeepSea

WORLD = DeepSea(3, cost=0.1)


def network(rate=0.0, size=3, kernel=None):
    layers = [keras.Input((size, size)), keras.layers.Flatten()]
    if rate is not None:
        layers.append(keras.layers.Dropout(rate))
    made = keras.Sequential([*layers, keras.layers.Dense(2, use_bias=False)])
    if kernel is not None:
        made.set_weights([kernel])
    return made


def table(size=3, seed=0):
    return np.random.default_rng(seed).normal(size=(size**2, 2)).astype("float32")


def agent(kind, made, **options):
    options = {"num_worlds": 4, "warm_up": 8, "batch_size": 16, "seed": 2, **options}
    model = kind(made, **options)
    model.compile(keras.optimizers.SGD(0.1))
    model.build((None, *made.input_shape[1:]))
    return model
