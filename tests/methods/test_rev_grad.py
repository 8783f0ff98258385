"""RevGrad in a step, and without its adversary."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.methods import RevGrad, SourceOnly
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def _after_a_step(kind, **options):
    keras.utils.set_random_seed(0)
    model = compiled(kind(network(), seed=0, **options))
    model.fit(X, Y, target=TARGET, batch_size=24, shuffle=False, verbose=0)
    return model


def test_network_moves_against_the_discriminator():
    """By hand: theta on nll - reversal * weight * domain, D on weight * domain."""
    keras.utils.set_random_seed(0)
    model = compiled(RevGrad(network(), discriminator=(4,), domain_weight=0.2,
                             reversal=0.5, seed=0))
    model.build((None, 4))
    before, judge = weights(model), model.parts[0].discriminator
    with tf.GradientTape(persistent=True) as tape:
        source, target = model.network(X), model.network(TARGET)
        nll = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(Y, source))
        domain = tf.reduce_mean(tf.nn.softplus(judge(source))) + tf.reduce_mean(
            tf.nn.softplus(-judge(target)))
        ours, theirs = nll - 0.5 * 0.2 * domain, 0.2 * domain
    slopes = [*tape.gradient(ours, model.network.trainable_variables),
              *tape.gradient(theirs, judge.trainable_variables)]
    expected = {id(w): np.asarray(w) - 0.1 * g for w, g in zip(
        [*model.network.trainable_variables, *judge.trainable_variables], slopes)}
    model.fit(X, Y, target=TARGET, batch_size=24, verbose=0)
    assert len(before) == len(expected)
    for weight in model.trainable_variables:
        np.testing.assert_allclose(weight, expected[id(weight)], atol=1e-6)


def test_without_reversal_the_network_is_that_of_the_source():
    plain = _after_a_step(SourceOnly)
    model = _after_a_step(RevGrad, reversal=0.0, discriminator=(4,))
    for a, b in zip(plain.network.get_weights(), model.network.get_weights()):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_options_are_saved():
    model = RevGrad(network(), discriminator=(3,), domain_weight=0.3, seed=0)
    again = RevGrad.from_config(model.get_config())
    assert again.discriminator == (3,) and again.domain_weight == 0.3
    assert float(again.reversal(40000)) == float(model.reversal(40000))
