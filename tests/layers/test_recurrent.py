"""Recurrent layers with posteriors: one draw for a sequence, exact KL, files."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.methods import MeanFieldVI
from tests.layers.recurrent_cases import NAMES, ROWS, UNITS, X, draw, make


@pytest.mark.parametrize("name", NAMES)
def test_layer_without_scales_is_that_of_keras(name):
    network = make(name, scale=1e-9)
    stock = _stock(name, network)
    for outputs in (network(X), draw(network), draw(network, coherent=True)):
        np.testing.assert_allclose(outputs, stock(X), atol=1e-6)


def _stock(name, network):
    """The layer of Keras with the means of a network as weights."""
    kind = getattr(keras.layers, name.removesuffix("Flipout").removesuffix(
        "Reparameterization"))
    layer = kind(UNITS, return_sequences=True)
    layer.build(X.shape)
    inputs, state = network.layers[0].maps()
    bias = inputs.bias if state.bias is None else np.stack([inputs.bias, state.bias])
    layer.set_weights([inputs.kernel, state.kernel, bias])
    return layer


@pytest.mark.parametrize("name", NAMES)
def test_draws_differ_and_a_coherent_one_is_one_network(name):
    network = make(name)
    x = np.repeat(X[:1], ROWS, axis=0)
    rows = draw(network, x)
    apart = np.abs(rows[0] - rows[1]).max() > 1e-3
    assert apart == name.endswith("Flipout")
    together = draw(network, x, coherent=True)
    np.testing.assert_allclose(together[0], together[1], atol=1e-6)
    assert np.abs(together - draw(network, x, seed=1, coherent=True)).max() > 1e-3


@pytest.mark.parametrize("name", ["LSTMReparameterization", "GRUFlipout"])
def test_kl_is_the_sum_over_both_kernels(name):
    network = make(name, prior_scale=0.5)
    model = MeanFieldVI(network, "gaussian", seed=0)
    model.build((None, None, 3))
    expected = 0.0
    for part in network.layers[0].maps():
        mean, scale = part.kernel.numpy(), part.kernel_scale().numpy()
        expected += np.sum(np.log(0.5 / scale) + (scale**2 + mean**2) / 0.5 - 0.5)
    np.testing.assert_allclose(model.kl(), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["LSTMFlipout", "GRUReparameterization"])
def test_posterior_of_the_bias_has_a_kl_and_one_draw_for_a_sequence(name):
    network = make(name, scale=1e-9, variational_bias=True, init_scale=0.5)
    layer = network.layers[0]
    for part in layer.maps():
        part.kernel.assign(tf.zeros_like(part.kernel))
        if part.variational_bias:
            part.bias_rho.assign(np.full(part.bias.shape, np.log(0.5)))
    assert network.layers[0].cell.input_map.variational_bias
    sums = draw(keras.Sequential([layer.cell.input_map]), X)
    assert np.ptp(sums, axis=1).max() < 1e-6  # Constant over time.
    assert np.abs(draw(network) - draw(network, seed=1)).max() > 1e-3


@pytest.mark.parametrize("name", ["LSTMFlipout", "GRUReparameterization"])
def test_padding_changes_nothing(name):
    network = make(name)
    masked = keras.Sequential([keras.Input((None, 3)), keras.layers.Masking(),
                               network.layers[0]])
    x = np.concatenate([X, np.zeros((ROWS, 3, 3), "float32")], axis=1)
    padded = draw(masked, x)[:, :X.shape[1]]
    np.testing.assert_allclose(padded, draw(network), atol=1e-6)


def test_draws_of_a_tall_batch_have_kernels_of_their_own():
    network = make("LSTMReparameterization")
    both = draw(network, np.concatenate([X, X]), count=2)
    assert np.abs(both[:ROWS] - both[ROWS:]).max() > 1e-3


@pytest.mark.slow
def test_compiled_loop_and_graph_give_the_draws_of_eager_calls():
    network = make("GRUFlipout", return_sequences=False)

    def one(key):
        with noise.draws(key, coherent=True):
            return network(X)

    keys = noise.split(noise.key(0), 3)
    expected = [one(key) for key in keys]
    loop = tf.function(lambda keys: tf.map_fn(
        one, keys, fn_output_signature=tf.float32))
    np.testing.assert_allclose(loop(keys), expected, atol=1e-6)
    compiled = tf.function(one, jit_compile=True)
    np.testing.assert_allclose(compiled(keys[0]), expected[0], atol=1e-5)


def test_noise_is_drawn_outside_of_the_loop_over_steps():
    """Drawing it at each step would give the same numbers, many times slower."""
    network = make("LSTMFlipout")

    @tf.function
    def one(key):
        with noise.draws(key):
            return network(X)

    graph = one.get_concrete_function(noise.key(0)).graph.as_graph_def()
    inside = [node.op for function in graph.library.function
              for node in function.node_def]
    assert "MatMul" in inside and not any("Random" in name for name in inside)


def test_dropout_has_one_mask_for_a_sequence():
    network = make("SimpleRNNFlipout", scale=1e-9, dropout=0.5, activation=None)
    cell = network.layers[0].cell
    cell.recurrent_map.kernel.assign(np.zeros((UNITS, UNITS)))
    ones = np.ones((300, 4, 3), "float32")
    outputs = draw(network, ones)
    assert np.ptp(outputs, axis=1).max() < 1e-6
    assert np.abs(outputs - draw(network, ones, seed=1)).max() > 1e-3
    together = draw(network, ones, coherent=True)
    assert np.ptp(together, axis=0).max() < 1e-6
    terms = cell.input_map.kernel.numpy()  # Each is dropped or doubled.
    np.testing.assert_allclose(outputs[:, 0].mean(0), terms.sum(0) + [-1, 1], atol=0.3)
    np.testing.assert_allclose(outputs[:, 0].var(0), (terms**2).sum(0), rtol=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["LSTMFlipout", "GRUFlipout"])
def test_loaded_model_gives_the_same_draws_after_training(name, tmp_path):
    network = keras.Sequential([*make(name, dropout=0.2, prior="laplace_prior",
                                      return_sequences=False).layers,
                                keras.layers.Dense(1)])
    model = MeanFieldVI(network, "gaussian", seed=0)
    model.compile("sgd")
    model.build(X.shape)
    before = [w.numpy() for w in model.trainable_variables]
    model.fit(X, X.sum((1, 2)), verbose=0)
    for old, new in zip(before, model.trainable_variables, strict=True):
        assert np.abs(old - new.numpy()).max() > 0, new.path
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.sample_outputs(X, 3),
                                  model.sample_outputs(X, 3))
    kinds = [type(p).__name__ for p in keras_internals.layers(loaded.network)]
    assert kinds.count("LaplacePrior") == 2
