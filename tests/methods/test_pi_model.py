"""The Pi-model: passes that agree."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.methods import PiModel
from tests.families.consistency_cases import compiled, fitted, network


@pytest.mark.parametrize("num_passes", [2, 3, 5])
def test_gap_is_the_mean_over_pairs_of_passes(num_passes):
    model = compiled(PiModel, num_passes=num_passes)
    passes = np.random.default_rng(0).dirichlet(np.ones(4), [num_passes, 6])
    pairs = [(a - b) ** 2 for a, b in itertools.combinations(passes, 2)]
    np.testing.assert_allclose(
        model.gaps(tf.constant(passes, tf.float32), None, None, None),
        np.mean(pairs, axis=(0, 2)), rtol=1e-5)


def test_gradient_goes_through_both_passes():
    model, passes = compiled(PiModel), tf.constant([[[0.2, 0.8]], [[0.5, 0.5]]])
    with tf.GradientTape() as tape:
        tape.watch(passes)
        gap = model.gaps(passes, None, None, None)
    slopes = tape.gradient(gap, passes).numpy()
    np.testing.assert_allclose(slopes[0], [[-0.3, 0.3]], rtol=1e-5)
    np.testing.assert_allclose(slopes[1], [[0.3, -0.3]], rtol=1e-5)


def test_identical_passes_do_not_disagree():
    _, logs = fitted(compiled(PiModel, num_passes=3), epochs=3)
    np.testing.assert_allclose(logs["consistency"], 0.0, atol=1e-12)


def test_passes_have_noise_of_their_own():
    model = compiled(PiModel, dropout=0.5, input_noise=0.1)
    model.build((None, 3))
    outputs = model.passes(tf.ones([4, 3]), model.step_keys()[1], 2).numpy()
    assert outputs.shape == (2, 4, 4)
    assert len(np.unique(outputs.reshape(8, 4), axis=0)) == 8


def test_one_pass_is_refused():
    with pytest.raises(ValueError, match="num_passes=1"):
        PiModel(network(), num_passes=1)
