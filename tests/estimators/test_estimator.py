"""What all estimators share: one call, with and without a compiler."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.estimators import DirectOptimization, Exact, GumbelSoftmax, ScoreFunction

EVERY = [DirectOptimization(0.3), DirectOptimization(0.3, two_sided=True),
         GumbelSoftmax(0.5), GumbelSoftmax(0.5, straight_through=True),
         ScoreFunction(), ScoreFunction("draws"), Exact()]


def _answers(estimator, variables, compiled):
    """Values, and gradients in the potentials and in a weight of the loss."""
    weight = tf.Variable(np.linspace(-1.0, 1.0, 24 * variables).reshape(
        -1, 4).astype("float32"))
    potentials = tf.Variable(np.sin(np.arange(15.0 * variables)).reshape(
        5, variables, 3).astype("float32"))

    def loss(codes):
        flat = tf.reshape(codes, [-1, variables * 3])
        hidden = tf.tanh(tf.matmul(tf.concat([flat, flat**2], axis=-1), weight))
        return tf.reshape(tf.reduce_sum(hidden**2, axis=-1), tf.shape(codes)[:2])

    @tf.function(jit_compile=compiled)
    def answer(key):
        with tf.GradientTape() as tape:
            found = estimator(potentials, loss, key, 0, 3)
            total = tf.reduce_sum(found)
        return found, *tape.gradient(total, [potentials, weight])

    return answer(noise.key(1))


@pytest.mark.parametrize("variables", [1, 2])
@pytest.mark.parametrize("place", range(len(EVERY)))
def test_compiled_step_of_a_user_is_plain(place, variables):
    plain, compiled = (_answers(EVERY[place], variables, jit)
                       for jit in (False, True))
    assert plain[0].shape == (5,)
    for name, first, second in zip(("value", "potentials", "weight"), plain, compiled,
                                   strict=True):
        assert np.any(np.asarray(first) != 0), name
        np.testing.assert_allclose(first, second, rtol=1e-5, atol=1e-5, err_msg=name)
