"""A small trained network with all that adaptation has to mind, and its data."""

import keras
import numpy as np

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(24, 6, 6, 1)).astype("float32")
Y = RNG.integers(3, size=24)


def trained():
    """Convolution, BatchNorm, dropout, two dense layers; weights far from the start."""
    keras.utils.set_random_seed(0)
    network = keras.Sequential([
        keras.Input((6, 6, 1)),
        keras.layers.Conv2D(4, 3, activation="relu", kernel_regularizer="l2",
                            name="conv"),
        keras.layers.BatchNormalization(name="norm"),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.5),
        keras.layers.Dense(8, activation="relu", name="hidden",
                           bias_regularizer="l2"),
        keras.layers.Dense(3, name="last")])
    rng = np.random.default_rng(1)
    values = [w + 0.1 * rng.uniform(size=w.shape) for w in network.get_weights()]
    network.set_weights(values)
    return network
