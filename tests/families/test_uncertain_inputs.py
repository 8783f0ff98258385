"""Inputs that should look uncertain: half a batch, in equal parts."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.attacks import FGSM, UniformNoise
from bdlzoo.core import noise
from bdlzoo.families.uncertain_inputs import UncertainInputs

X = np.random.default_rng(0).uniform(0.4, 0.6, (11, 5)).astype("float32")
Y = np.arange(11)[:, None] % 2
KEY = noise.key(1)


def _network():
    return keras.Sequential([keras.Input((5,)), keras.layers.Dense(2)])


def test_sources_share_half_a_batch():
    network = _network()
    inputs = UncertainInputs([UniformNoise(0.05), FGSM(0.1)])
    assert inputs and not UncertainInputs([])
    given = 7.0 + np.arange(20.0).reshape(4, 5)
    assert inputs.give(given) and not inputs.give(given)
    rows = inputs.rows(network, X, Y, KEY).numpy()
    assert len(rows) == 6  # Of the first six rows, every third to each.
    noisy, attacked, drawn = np.split(rows, 3)
    gap = np.abs(noisy - X[[0, 3]])
    assert 0 < gap.max() <= 0.05 + 1e-6
    np.testing.assert_allclose(
        attacked, FGSM(0.1)(network, X[[1, 4]], Y[[1, 4], 0]), atol=1e-6)
    for row in drawn:
        assert (row == given.astype("float32")).all(axis=1).any()


def test_given_rows_come_equally_often():
    inputs = UncertainInputs([])
    inputs.give(np.arange(4.0)[:, None])
    rows = inputs.rows(None, np.zeros((1600, 1)), np.zeros(1600), KEY).numpy()
    assert len(rows) == 800
    assert np.abs(np.bincount(rows[:, 0].astype(int)) - 200).max() < 50
    assert inputs.give(None) and not inputs


def test_no_gradient_goes_through_them():
    class Smooth(UniformNoise):
        def perturb(self, model, x, y, seed, **settings):
            return x + model(x)[:, :1]

    network, inputs = _network(), UncertainInputs([Smooth(0.1)])
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(inputs.rows(network, X, Y, KEY))
    assert tape.gradient(total, network.trainable_variables[0]) is None
