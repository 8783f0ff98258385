"""Two heads: who moves in which step, and by which gradient."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.methods import MCD
from tests.families.domains import TARGET, X, Y, compiled, network


def _built(rate=0.1, **options):
    keras.utils.set_random_seed(0)
    model = compiled(MCD(network(), seed=0, **options), rate)
    model.build((None, 4))
    return model


def _further(model):
    part = model.second_head
    return part.further_steps(model, (tf.constant(X), tf.constant(Y), None,
                                      tf.constant(TARGET)), model.step_keys()[1])


def _outputs(features, first, second):
    return [features @ kernel + bias for kernel, bias in (first, second)]


def test_second_head_starts_elsewhere_and_has_the_same_shape():
    part = _built().second_head
    [twin], [layer] = part.second, _built().encoder.head
    assert twin.kernel.shape == layer.kernel.shape
    assert np.abs(twin.kernel.numpy() - layer.kernel.numpy()).min() > 0


def _by_hand(weights, steps, rate=0.1, momentum=0.0):
    """Moves the weights of body and heads by the losses of the paper."""
    def losses():
        body, bias, *heads = weights
        known, there = (tf.tanh(rows @ body + bias) for rows in (X, TARGET))
        pairs = (heads[:2], heads[2:])
        nll = sum(tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            Y, outputs)) for outputs in _outputs(known, *pairs))
        first, second = map(tf.nn.softmax, _outputs(there, *pairs))
        return nll, tf.reduce_mean(tf.abs(first - second))

    speeds = [tf.zeros_like(weight) for weight in weights]
    for step in steps:
        moving = {"A": range(6), "B": range(2, 6), "C": range(2)}[step]
        with tf.GradientTape() as tape:
            nll, gap = losses()
            loss = {"A": nll, "B": nll - gap, "C": gap}[step]
        slopes = tape.gradient(loss, weights)
        for place in moving:
            speeds[place] = momentum * speeds[place] - rate * slopes[place]
            weights[place].assign_add(speeds[place])
    return gap


def _weights(model):
    [twin] = model.second_head.second
    return [*model.network.trainable_variables, *twin.trainable_variables]


def test_steps_b_and_c_follow_the_gradients_of_the_paper():
    model = _built(num_feature_steps=2)
    weights = [tf.Variable(np.asarray(w)) for w in _weights(model)]
    gap = _by_hand(weights, "BCC")
    found = tf.function(lambda: _further(model))()
    np.testing.assert_allclose(found["discrepancy"], gap, rtol=1e-5)
    for expected, weight in zip(weights, _weights(model)):
        np.testing.assert_allclose(weight, expected, atol=1e-6)
    assert int(model.optimizer.iterations) == 0  # Its steps are those of the loss.


def test_all_steps_share_the_moments_of_one_optimiser():
    keras.utils.set_random_seed(0)
    model = MCD(network(), seed=0, num_feature_steps=1)
    model.compile(keras.optimizers.SGD(0.1, momentum=0.5))
    model.build((None, 4))
    weights = [tf.Variable(np.asarray(w)) for w in _weights(model)]
    _by_hand(weights, "ABCABC", momentum=0.5)
    model.fit(X, Y, target=TARGET, batch_size=24, epochs=2, shuffle=False, verbose=0)
    for expected, weight in zip(weights, _weights(model)):
        np.testing.assert_allclose(weight, expected, atol=1e-6)
    assert int(model.optimizer.iterations) == 2


def test_more_feature_steps_lower_the_discrepancy():
    gaps = {}
    for count in (1, 8):
        model = _built(num_feature_steps=count)
        gaps[count] = float(_further(model)["discrepancy"])
    assert gaps[8] < gaps[1]


def test_loss_has_both_heads():
    model = _built()
    logs, _ = model.objective(tf.constant(X), tf.constant(Y), None,
                              model.step_keys()[1], tf.constant(TARGET))
    first, second = model.second_head.both(model.encoder, model.encoder(X))
    nll = [np.mean(keras.losses.sparse_categorical_crossentropy(
        Y, outputs, from_logits=True)) for outputs in (first, second)]
    np.testing.assert_allclose([logs["nll"], logs["second_nll"]], nll, rtol=1e-5)
    np.testing.assert_allclose(logs["loss"], sum(nll), rtol=1e-5)
