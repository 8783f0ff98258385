"""The discriminator lowers its loss; the features raise it, by the reversal."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.domain_adversary import DomainAdversary
from tests.families.domains import Stub, pair

RNG = np.random.default_rng(1)
SOURCE, TARGET = RNG.normal(size=(2, 6, 3)).astype("float32")
TEACHER = np.log([[0.98, 0.01, 0.01]] * 2 + [[0.6, 0.2, 0.2]] * 4)


def _attached(seed=0, **options):
    part = DomainAdversary((4,), **options)
    part.attach(Stub(), 3, noise.key(seed, noise.INITIAL))
    return part


def _gradients(part, **changes):
    """Loss, and its gradients for features and for the discriminator."""
    source, target = tf.constant(SOURCE), tf.constant(TARGET)
    with tf.GradientTape() as tape:
        tape.watch([source, target])
        found = pair(SOURCE, np.zeros(6), TARGET, TEACHER)._replace(
            source=source, target=target, **changes)
        weight, value = part.terms(Stub(), found)["domain"]
        loss = weight * value
    return value, *tape.gradient(loss, ([source, target],
                                        part.discriminator.trainable_variables))


def _plain(part):
    """The same without a reversal."""
    source, target = tf.constant(SOURCE), tf.constant(TARGET)
    with tf.GradientTape() as tape:
        tape.watch([source, target])
        low, high = (part.discriminator(rows)[:, 0] for rows in (source, target))
        value = -tf.reduce_mean(tf.math.log(1 - tf.sigmoid(low))) - tf.reduce_mean(
            tf.math.log(tf.sigmoid(high)))
        loss = 0.1 * value
    return value, *tape.gradient(loss, ([source, target],
                                        part.discriminator.trainable_variables))


def test_features_get_minus_the_reversal_times_the_gradient():
    part = _attached(weight=0.1, reversal=0.3)
    (value, features, weights), (same, expected, others) = (
        _gradients(part), _plain(part))
    np.testing.assert_allclose(value, same, rtol=1e-5)
    for found, other in zip(features, expected):
        np.testing.assert_allclose(found, -0.3 * other, rtol=1e-4, atol=1e-7)
    for found, other in zip(weights, others):
        np.testing.assert_allclose(found, other, rtol=1e-4, atol=1e-7)


def test_threshold_counts_sure_rows_and_zero_counts_all():
    plain, robust, zero = (_attached(threshold=t) for t in (None, 0.9, 0.0))
    values = [float(_gradients(part)[0]) for part in (plain, robust, zero)]
    assert values[2] == values[0] != values[1]
    low, high = (plain.discriminator(rows)[:, 0] for rows in (SOURCE, TARGET))
    expected = np.mean(tf.nn.softplus(low)) + np.mean(tf.nn.softplus(-high)[:2])
    np.testing.assert_allclose(values[1], expected, rtol=1e-5)
    _, (_, target), _ = _gradients(robust)
    assert np.all(target[:2] != 0) and not np.any(target[2:])


def test_no_sure_row_leaves_the_source_alone():
    part = _attached(threshold=0.99)
    low = part.discriminator(SOURCE)[:, 0]
    np.testing.assert_allclose(_gradients(part)[0], np.mean(tf.nn.softplus(low)),
                               rtol=1e-5)


def test_weights_in_place_of_masks_compile():
    part = _attached(threshold=0.9)
    found = pair(SOURCE, np.zeros(6), TARGET, TEACHER)
    step = tf.function(lambda source: part.terms(Stub(), found._replace(
        source=source))["domain"][1], jit_compile=True)
    np.testing.assert_allclose(step(found.source), _gradients(part)[0], rtol=1e-5)


def test_seed_draws_the_initial_weights():
    first, same, other = (_attached(seed).discriminator.get_weights()[0]
                          for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, same)
    assert np.abs(first - other).min() > 0


@pytest.mark.parametrize("wrong", [dict(threshold=1.0), dict(weight=-1.0),
                                   dict(hidden=(0,))])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match="Received"):
        DomainAdversary(**wrong)
