"""One structure for all cells: its laws, its divergence, its place in a network."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import ConcreteStructure, sharpened_concrete
from bdlzoo.layers.concrete_structure import Law, drawn_by, edges, num_nodes_of

NAMES = ("zero", "identity", "dense_relu", "dense_tanh")
KEY = noise.key(0, noise.TRAIN)
X = tf.zeros((5, 2))


def _layer(theta=None, **kwargs):
    layer = ConcreteStructure(3, NAMES, **kwargs)
    layer.build((None, 2))
    layer.noise_salt = 7
    if theta is not None:
        layer.theta.assign(tf.broadcast_to(theta, (3, 4)))
    return layer


def _draw(layer, scope_key=KEY, **law):
    with noise.draws(scope_key), drawn_by(Law(**law)):
        return layer(X), layer.kl()


def test_edges_are_all_pairs_in_order():
    assert edges(4) == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    assert len(edges(7)) == 21
    assert num_nodes_of(21, 4, NAMES) == 7
    for shape in ((2, 4), (0, 4), (3, 5)):
        with pytest.raises(ValueError, match="Received: probabilities of shape"):
            num_nodes_of(*shape, NAMES)


def test_outside_of_a_draw_it_is_the_softmax_of_the_logits():
    layer = _layer([1.0, 0.0, -1.0, 0.5])
    np.testing.assert_allclose(layer(X), tf.nn.softmax(layer.theta))
    with drawn_by(Law(tau=2.0)):
        np.testing.assert_allclose(layer(X), tf.nn.softmax(layer.theta / 2.0))


def test_a_draw_is_the_same_at_every_call_and_edges_differ():
    alpha, _ = _draw(_layer(0.0))
    again, _ = _draw(_layer(0.0))
    np.testing.assert_array_equal(alpha, again)
    other, _ = _draw(_layer(0.0), noise.key(1))
    assert abs(alpha[0] - alpha[1]).numpy().max() > 0.01
    assert abs(alpha - other).numpy().max() > 0.01


def test_law_has_the_key_where_it_has_one():
    layer = _layer([1.0, 0.0, 0.0, 0.0])
    expected = _draw(layer)
    found = _draw(layer, noise.key(1), key=KEY)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1] == expected[1] != 0.0


def test_divergence_is_the_log_ratio_at_the_very_draw():
    layer = _layer([1.0, 0.0, -1.0, 0.5])
    alpha, kl = _draw(layer, tau=2.0, beta=0.7)
    v = tf.math.log(alpha)  # Up to a shift, which the density does not see.
    expected = tf.reduce_sum(
        sharpened_concrete.log_density(v, layer.theta, 2.0, 0.7)
        - sharpened_concrete.log_density(v, tf.zeros((3, 4)), 2.0, 1.0))
    np.testing.assert_allclose(kl, expected, rtol=1e-4)


def test_divergence_is_zero_at_the_prior_and_positive_on_average():
    for step in range(3):
        _, kl = _draw(_layer(0.0), noise.key(step), tau=2.0)
        assert kl == 0.0
    # 780 edges: the sum of their draws is nearly its mean, whose error is below 1.
    for theta, beta in (([1.0, 0.0, -1.0, 0.5], 1.0), ([0.0] * 4, 0.5)):
        layer = ConcreteStructure(40, NAMES)
        layer.build(None)
        layer.noise_salt = 0
        layer.theta.assign(tf.broadcast_to(theta, (780, 4)))
        assert _draw(layer, beta=beta)[1] > 780 * 0.1


def test_baselines_leave_out_noise_or_logits():
    layer = _layer([1.0, 0.0, -1.0, 0.5])
    fixed, kl = _draw(layer, learnt=False, noisy=False)
    np.testing.assert_allclose(fixed, np.full((3, 4), 0.25))
    assert kl == 0.0
    point, kl = _draw(layer, tau=2.0, noisy=False)
    np.testing.assert_allclose(point, tf.nn.softmax(layer.theta / 2.0))
    assert kl == 0.0
    # The prior has beta = 1, whatever is said.
    prior, kl = _draw(layer, beta=0.5, learnt=False)
    np.testing.assert_array_equal(prior, _draw(_layer(0.0), beta=1.0)[0])
    assert kl == 0.0


def test_gradient_reaches_the_logits_through_both_terms():
    layer = _layer([1.0, 0.0, -1.0, 0.5])
    with tf.GradientTape(persistent=True) as tape:
        alpha, kl = _draw(layer, beta=0.7)
        data = tf.reduce_sum(alpha[:, 2])
    for term in (data, kl):
        assert (abs(tape.gradient(term, layer.theta.value)) > 1e-4).numpy().any()


def test_structures_are_the_same_under_xla():
    layer = _layer(0.3)
    jitted = tf.function(lambda: _draw(layer, beta=0.7), jit_compile=True)
    for plain, compiled in zip(_draw(layer, beta=0.7), jitted()):
        np.testing.assert_allclose(plain, compiled, atol=1e-5)


def test_logits_stay_in_single_precision():
    layer = _layer(0.3, dtype="mixed_bfloat16")
    alpha, kl = _draw(layer)
    assert layer.theta.dtype == kl.dtype == "float32"
    np.testing.assert_allclose(tf.reduce_sum(alpha, -1), 1.0, rtol=1e-5)


def test_divergence_needs_a_draw():
    with pytest.raises(ValueError, match="draw scope"):
        _layer().kl()


@pytest.mark.parametrize("nodes, names, word", [
    (1, NAMES, "num_nodes=1"), (2.5, NAMES, "num_nodes=2.5"),
    (3, (), r"operations=\(\)"), (3, ("zero", "sigmoid"), "sigmoid"),
    (3, ("zero", "zero"), "each once")])
def test_impossible_structures_are_refused(nodes, names, word):
    with pytest.raises(ValueError, match=word):
        ConcreteStructure(nodes, names)


def test_file_round_trip_keeps_the_logits(tmp_path):
    inputs = keras.Input((2,))
    network = keras.Model(inputs, ConcreteStructure(3, NAMES)(inputs))
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    np.testing.assert_array_equal(network(X), loaded(X))
    assert loaded.layers[-1].operations == NAMES
