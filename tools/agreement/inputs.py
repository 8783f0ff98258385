"""Inputs of the comparison: random, with fixed seeds, passed on as arrays."""

import keras
import numpy as np
import scipy.special
import sklearn.datasets

EPSILON = 0.12
ROUNDING = 1e-6  # Slopes below it have a sign by chance in float32.


def made():
    """Dictionary of arrays."""
    random = np.random.default_rng(0)
    logits = 2.0 * random.normal(size=(2000, 10))
    labels = (logits / 2 + random.gumbel(size=logits.shape)).argmax(-1)
    means = random.normal(size=(8, 500))
    targets = random.normal(size=500)
    draws = random.dirichlet([0.5] * 5, size=(20, 300)).astype("float32")  # [S, B, C]
    far = 1e8 + random.normal(size=400)
    found = dict(
        logits=logits, labels=labels, uniforms=random.uniform(size=2000),
        scores=random.normal(size=1500).round(1),
        positives=random.integers(2, size=1500),
        means=means, scales=random.uniform(0.2, 2.0, size=means.shape), targets=targets,
        draws=draws, far=far, far_mean=far + 0.5 * random.normal(size=400),
        weights=random.uniform(size=400), counts=random.poisson(3.0, size=500),
        rates=random.uniform(0.5, 6.0, size=500), epsilon=np.array(EPSILON))
    return {**found, **_network()}


def _network():
    """Weights of a plain network of digits, and 397 images in [0, 1] to attack."""
    keras.utils.set_random_seed(0)
    digits = sklearn.datasets.load_digits()
    x = (digits.images / 16).astype("float32").reshape(-1, 64)
    network = layers()
    network.compile("adam", keras.losses.SparseCategoricalCrossentropy(True))
    network.fit(x[:1400], digits.target[:1400], epochs=30, verbose=0)
    x, y, weights = x[1400:], digits.target[1400:], network.get_weights()
    return dict(x=x, y=y, sure=np.abs(_gradient(weights, x, y)) > ROUNDING,
                **{f"weight_{i}": part for i, part in enumerate(weights)})


def _gradient(weights, x, y):
    """Slope of the cross entropy of each image, in float64."""
    w0, b0, w1, b1, w2, b2 = (part.astype("float64") for part in weights)
    first = x @ w0 + b0
    second = np.maximum(first, 0.0) @ w1 + b1
    slope = scipy.special.softmax(np.maximum(second, 0.0) @ w2 + b2, axis=-1)
    slope[np.arange(len(y)), y] -= 1.0
    return ((slope @ w2.T * (second > 0.0)) @ w1.T * (first > 0.0)) @ w0.T


def layers():
    """The network without its weights."""
    return keras.Sequential([
        keras.Input((64,)), keras.layers.Dense(64, "relu"),
        keras.layers.Dense(64, "relu"), keras.layers.Dense(10)])
