"""Virtual adversaries find the worst direction; entropies are those of the target."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.virtual_adversary import VirtualAdversary, divergence, entropy
from tests.families.domains import TARGET, Stub, X, network, pair


def _line():
    """Two classes on three numbers, of which only the first one matters."""
    net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    net.set_weights([np.array([[1.0, -1.0], [0, 0], [0, 0]]), np.zeros(2)])
    return net


def test_perturbation_is_along_the_number_that_matters():
    x = np.full((5, 3), 0.1, "float32")
    found = VirtualAdversary(epsilon=0.5).costs(_line(), x, noise.key(0))
    own = np.array([[0.1, -0.1]], "float32")
    ends = [divergence(own, np.array([[0.1 + s, -0.1 - s]], "float32"))[0]
            for s in (0.5, -0.5)]
    for cost in np.asarray(found):
        assert min(abs(cost - end) for end in ends) < 1e-6


def test_gradient_is_that_of_the_neighbour_alone():
    net, x = _line(), np.full((1, 3), 0.1, "float32")
    with tf.GradientTape() as tape:
        cost = VirtualAdversary(epsilon=0.5).costs(net, x, noise.key(0))
    slope = np.asarray(tape.gradient(cost, net.trainable_variables[1]))
    own = np.asarray(tf.nn.softmax([[0.1, -0.1]]))
    ends = [np.asarray(tf.nn.softmax([[0.1 + s, -0.1 - s]])) - own
            for s in (0.5, -0.5)]
    assert min(np.abs(slope - end).max() for end in ends) < 1e-6


def test_terms_and_their_weights():
    model = Stub()
    model.network = network()
    part = VirtualAdversary(0.02, 1.0, 0.1, epsilon=0.3)
    found = pair(X[:, :3], np.zeros(24), TARGET[:, :3], X[:, :3])
    found = found._replace(x=tf.constant(X), target_x=tf.constant(TARGET))
    terms = part.terms(model, found)
    weight, value = terms["entropy"]
    assert weight == 0.02
    np.testing.assert_allclose(value, np.mean(entropy(TARGET[:, :3])), rtol=1e-6)
    costs = [np.mean(part.costs(model.network, rows, noise.fold_in(found.key, place)))
             for place, rows in enumerate((X, TARGET))]
    np.testing.assert_allclose(terms["virtual"][1], costs[0] + 0.1 * costs[1],
                               rtol=1e-5)
    assert "virtual" not in VirtualAdversary(epsilon=0.0).terms(model, found)


def test_entropy_and_divergence_of_three_classes():
    logits = np.log([[0.5, 0.25, 0.25]]).astype("float32")
    np.testing.assert_allclose(entropy(logits), [1.5 * np.log(2)], rtol=1e-6)
    other = np.log([[0.25, 0.5, 0.25]]).astype("float32")
    np.testing.assert_allclose(divergence(logits, other), [0.25 * np.log(2)],
                               rtol=1e-5)


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="epsilon=-1"):
        VirtualAdversary(epsilon=-1)
