"""Dropout of recurrent cells: one mask over time, others for other draws and rows."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import MCDropout
from bdlzoo.surgery import conversion, recurrent_noise
from tests.surgery.recurrent_cases import (
    NAMES,
    RATES,
    adopted,
    draw,
    inputs_of,
    make,
)


@pytest.mark.parametrize("name", NAMES)
def test_draws_and_rows_have_masks_of_their_own(name):
    network, x = make(name)
    assert conversion.stochastic_layers(network)
    rows = draw(network, x)
    assert np.abs(rows[0] - rows[1]).max() > 1e-4
    together = draw(network, x, coherent=True)
    np.testing.assert_allclose(together[0], together[1], atol=1e-6)
    np.testing.assert_array_equal(together, draw(network, x, coherent=True))
    assert np.abs(together - draw(network, x, seed=1, coherent=True)).max() > 1e-4


@pytest.mark.parametrize("name", NAMES)
def test_rate_zero_is_the_plain_layer_bit_for_bit(name):
    """T11.5, in a scope; and outside of scopes an adopted layer is what it was."""
    network, x = make(name, dropout=0.0, recurrent_dropout=0.0)
    np.testing.assert_array_equal(draw(network, x), network(x))
    assert conversion.stochastic_layers(network) == []
    dropped, _ = make(name)
    dropped.set_weights(network.get_weights())
    np.testing.assert_allclose(dropped(x), network(x), atol=1e-6)
    trained = np.asarray(dropped(x, training=True))
    assert np.abs(trained - np.asarray(dropped(x, training=True))).max() > 1e-4


@pytest.mark.parametrize("name, rates", [
    ("lstm", RATES), ("gru", RATES), ("gru_before", RATES), ("simple", RATES),
    ("stacked", {"dropout": 0.5}), ("gru", {"dropout": 0.5})])
def test_masks_folded_into_kernels_are_masks_of_inputs(name, rates, monkeypatch):
    """Coherent draws fold them; the cell of Keras multiplies its inputs."""
    network, x = make(name, **rates)
    folded = draw(network, x, coherent=True)
    monkeypatch.setattr(recurrent_noise, "_folds", lambda *_: False)
    np.testing.assert_allclose(folded, draw(network, x, coherent=True), atol=1e-6)


def _memoryless(units=40, **options):
    """A linear cell that ignores its state: outputs are sums of kept inputs."""
    return keras.layers.SimpleRNN(
        units, activation=None, use_bias=False, return_sequences=True,
        recurrent_initializer="zeros", kernel_initializer="identity", **options)


def test_mask_is_constant_over_time():
    """T11.1: the autocorrelation of the mask over time is 1."""
    network = adopted(keras.Input((6, 40)), _memoryless(dropout=0.5))
    masks = draw(network, np.ones((20, 6, 40), "float32"))
    assert set(np.unique(masks)) == {0.0, 2.0}
    assert np.ptp(masks, axis=1).max() == 0  # Constant over time,
    assert abs(np.corrcoef(masks[0, 0], masks[1, 0])[0, 1]) < 0.6  # not over rows.
    assert abs(np.mean(masks) - 1.0) < 0.1


def test_state_is_dropped_at_the_same_units_at_all_steps():
    """A state that is copied from step to step: dropped once is dropped for ever."""
    layer = keras.layers.SimpleRNN(
        60, activation=None, use_bias=False, return_sequences=True,
        recurrent_initializer="identity", kernel_initializer="zeros",
        recurrent_dropout=0.5)
    network = adopted(keras.Input((4, 1)), layer)
    with noise.draws(noise.key(3)):
        states = layer(np.zeros((1, 4, 1), "float32"),
                       initial_state=tf.ones([1, 60])).numpy()[0]
    kept = states[0] == 2.0
    assert 10 < kept.sum() < 50
    for step in range(4):  # A new mask at each step would leave 60 / 2**4 units.
        np.testing.assert_array_equal(states[step], np.where(kept, 2.0**(step + 1), 0))
    assert network.built


def test_mean_over_draws_is_the_layer_without_dropout():
    """T11.3: a linear cell, whose outputs are linear in each mask."""
    network = adopted(keras.Input((1, 5)), keras.layers.SimpleRNN(
        3, activation=None, dropout=0.25))
    x = inputs_of((1, 5), rows=20000)
    sample = draw(network, x)
    np.testing.assert_allclose(sample.mean(0), network(x[:1])[0], atol=0.02)
    # var = p / (1 - p) times the sum of squares of the terms.
    terms = x[0, 0][:, None] * network.layers[0].cell.kernel.numpy()
    np.testing.assert_allclose(sample.var(0), (terms**2).sum(0) / 3, rtol=0.05)


@pytest.mark.parametrize("count, kind", [(4, keras.layers.LSTM),
                                         (3, keras.layers.GRU)])
def test_each_gate_has_a_mask_of_its_own_if_the_state_is_dropped(count, kind):
    network = adopted(keras.Input((5, 200)), kind(4, **RATES))
    cell = network.layers[0].cell
    with noise.draws(noise.key(0)):
        masks = cell.get_dropout_mask(tf.zeros([2, 200]))
        states = cell.get_recurrent_dropout_mask(tf.zeros([2, 200]))
    assert len(masks) == len(states) == count
    flat = np.stack([m.numpy().ravel() for m in (*masks, *states)])
    correlations = np.corrcoef(flat) - np.eye(2 * count)
    assert np.abs(correlations).max() < 0.25
    assert set(np.unique(flat[0])) == {0.0, np.float32(1 / 0.75)}
    assert set(np.unique(flat[-1])) == {0.0, 2.0}


def test_equal_masks_on_all_gates_are_the_tied_form(monkeypatch):
    """T11.6: one product of masked inputs for all gates."""
    network = adopted(keras.Input((5, 3)), keras.layers.LSTM(4, **RATES))
    cell, x = network.layers[0].cell, inputs_of((5, 3))
    cell.dropout_mask_count = None
    with noise.draws(noise.key(0, noise.PREDICT)):
        inside, state = (get(tf.zeros([3, size])) for get, size in (
            (cell.get_dropout_mask, 3), (cell.get_recurrent_dropout_mask, 4)))
    for name, mask in (("get_dropout_mask", inside),
                       ("get_recurrent_dropout_mask", state)):
        monkeypatch.setattr(cell, name, lambda _, mask=mask: [mask] * 4)
    np.testing.assert_allclose(
        draw(network, x), _tied_lstm(cell, x, inside, state), atol=1e-5)


def _tied_lstm(cell, x, inside, state):
    hidden = memory = tf.zeros([len(x), cell.units])
    for step in range(x.shape[1]):
        sums = (x[:, step] * inside) @ cell.kernel + cell.bias
        sums += (hidden * state) @ cell.recurrent_kernel
        i, f, g, o = tf.split(sums, 4, axis=1)
        memory = tf.sigmoid(f) * memory + tf.sigmoid(i) * tf.tanh(g)
        hidden = tf.sigmoid(o) * tf.tanh(memory)
    return hidden


@pytest.mark.slow
def test_tall_batch_has_the_law_of_separate_calls():
    """T11.7: mean and variance of draws stacked in a batch, and one by one."""
    network = adopted(keras.Input((4, 3)), keras.layers.LSTM(2, **RATES))
    x = inputs_of((4, 3), rows=4000)
    tall = draw(network, x)
    step = tf.function(lambda key: tf.map_fn(
        lambda k: _coherent(network, x[:1], k), noise.split(key, 4000),
        fn_output_signature=tf.float32))
    apart = step(noise.key(5)).numpy()[:, 0]
    np.testing.assert_allclose(tall.mean(0), apart.mean(0), atol=4 * 0.01)
    np.testing.assert_allclose(tall.std(0), apart.std(0), rtol=0.08)


def _coherent(network, x, key):
    with noise.draws(key, coherent=True):
        return network(x, training=False)


def test_directions_and_stacked_cells_have_noise_of_their_own():
    both = keras.layers.Bidirectional(_memoryless(dropout=0.5), merge_mode=None)
    inputs = keras.Input((3, 40))
    network = keras.Model(inputs, both(inputs))
    conversion.adopt(network)
    with noise.draws(noise.key(0)):
        ahead, back = network(np.ones((8, 3, 40), "float32"))
    flat = np.ravel(ahead[:, 0]), np.ravel(back[:, 0])
    assert abs(np.corrcoef(*flat)[0, 1]) < 0.25
    cells = [keras.layers.SimpleRNNCell(4, dropout=0.5) for _ in range(2)]
    adopted(keras.Input((3, 4)), keras.layers.RNN(cells))
    assert cells[0].noise_salt != cells[1].noise_salt


def test_padding_changes_nothing():
    """A padded row has the outputs of the row without padding, in a draw."""
    inputs = keras.Input((None, 3))
    layer = keras.layers.LSTM(4, **RATES)
    network = keras.Model(inputs, layer(keras.layers.Masking()(inputs)))
    conversion.adopt(network)
    x = inputs_of((5, 3)) + 1.0
    padded = np.concatenate([x, np.zeros((3, 4, 3), "float32")], axis=1)
    np.testing.assert_allclose(draw(network, x), draw(network, padded), atol=1e-6)


@pytest.mark.parametrize("steps", [4, None])
def test_dropout_in_time_distributed_has_one_mask_over_time(steps):
    layer = keras.layers.TimeDistributed(keras.layers.Dropout(0.5))
    network = adopted(keras.Input((steps, 40)), layer)
    masks = draw(network, np.ones((3, 4, 40), "float32"))
    assert np.ptp(masks, axis=1).max() == 0
    assert np.abs(masks[0] - masks[1]).max() == 2.0


@pytest.mark.slow
def test_graph_loop_and_compiler_give_the_draws_of_eager_calls():
    network = adopted(keras.Input((5, 3)), keras.layers.Bidirectional(
        keras.layers.LSTM(4, use_cudnn=False, **RATES)))
    x, keys = inputs_of((5, 3)), noise.split(noise.key(0), 3)
    expected = [_coherent(network, x, key) for key in keys]
    loop = tf.function(lambda keys: tf.map_fn(
        lambda key: _coherent(network, x, key), keys, fn_output_signature=tf.float32))
    np.testing.assert_allclose(loop(keys), expected, atol=1e-6)
    compiled = tf.function(lambda key: _coherent(network, x, key), jit_compile=True)
    np.testing.assert_allclose(compiled(keys[1]), expected[1], atol=1e-5)


def test_gradients_of_a_draw_are_those_of_the_unrolled_equations():
    network = adopted(keras.Input((5, 3)), keras.layers.LSTM(4, **RATES))
    cell, x = network.layers[0].cell, inputs_of((5, 3))
    cell.dropout_mask_count = None
    with noise.draws(noise.key(0, noise.PREDICT)):
        inside, state = (get(tf.zeros([3, size])) for get, size in (
            (cell.get_dropout_mask, 3), (cell.get_recurrent_dropout_mask, 4)))
    cell.implementation = 2  # One mask for all gates; the state is not dropped.
    state = tf.ones_like(state)

    @tf.function
    def slopes():
        with tf.GradientTape() as tape, noise.draws(noise.key(0, noise.PREDICT)):
            loss = tf.reduce_sum(network(x, training=True) ** 2)
        return tape.gradient(loss, network.trainable_variables)

    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(_tied_lstm(cell, x, inside, state) ** 2)
    expected = tape.gradient(loss, network.trainable_variables)
    for ours, theirs in zip(slopes(), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_draws_start_at_the_stored_state_and_leave_it():
    layer = keras.layers.GRU(4, stateful=True, **RATES)
    network = keras.Sequential([keras.Input(batch_shape=(3, 5, 3)), layer])
    conversion.adopt(network)
    x = inputs_of((5, 3))
    network(x)
    before = layer.states[0].numpy()
    assert np.abs(before).max() > 0
    first = draw(network, x, coherent=True)
    np.testing.assert_array_equal(first, draw(network, x, coherent=True))
    np.testing.assert_array_equal(layer.states[0].numpy(), before)
    assert layer.stateful
    draw(network, x, training=True)  # Training goes on from batch to batch.
    assert np.abs(layer.states[0].numpy() - before).max() > 0


class _OwnCell(keras.layers.SimpleRNNCell):
    def call(self, inputs, states, training=False):
        return super().call(inputs, states, training=training)


class _HoldingCell(keras.layers.Layer):
    """A cell that holds a cell of Keras, as attention around a recurrent cell does."""

    def __init__(self):
        super().__init__()
        self.inner = keras.layers.SimpleRNNCell(40, activation=None, dropout=0.5)
        self.state_size = 40

    def build(self, input_shape):
        self.inner.build(input_shape)

    def call(self, inputs, states):
        outputs, states = self.inner(inputs, states)
        return outputs, states


def test_cell_with_a_call_of_its_own_is_warned_of(caplog):
    network = adopted(keras.Input((5, 3)), keras.layers.RNN(
        _OwnCell(4, dropout=0.5, name="mine")))
    assert "Layer mine is a cell with dropout of its own" in caplog.text
    assert conversion.stochastic_layers(network) == []


def test_cell_inside_a_cell_of_a_user_has_one_mask_over_time():
    network = adopted(keras.Input((4, 3)), keras.layers.RNN(
        _HoldingCell(), return_sequences=True))
    inner = network.layers[0].cell.inner
    inner.recurrent_kernel.assign(np.zeros((40, 40)))
    outputs = draw(network, np.ones((3, 4, 3), "float32"))
    assert np.ptp(outputs, axis=1).max() < 1e-6
    assert recurrent_noise.is_random(inner)
    assert np.abs(draw(network, np.ones((3, 4, 3)), seed=1) - outputs).max() > 1e-3


def test_prior_of_a_kernel_is_weighed_by_its_rate():
    network = adopted(keras.Input((5, 3)), keras.layers.LSTM(4, **RATES))
    cell = network.layers[0].cell
    assert recurrent_noise.kept_shares(cell) == {
        id(cell.kernel): 0.75, id(cell.recurrent_kernel): 0.5}


@pytest.mark.slow
def test_saved_and_exported_models_give_the_same_draws(tmp_path):
    network = keras.Sequential([
        keras.Input((5, 3)), keras.layers.Bidirectional(
            keras.layers.LSTM(4, use_cudnn=False, **RATES)), keras.layers.Dense(1)])
    model = MCDropout(network, "gaussian", prior_scale=1.0, seed=0)
    model.compile("adam", jit_compile=True)
    x = np.random.default_rng(0).normal(size=(32, 5, 3)).astype("float32")
    model.fit(x, x.sum((1, 2)), batch_size=16, verbose=0)
    draws = model.sample_outputs(x, 4, seed=3)
    assert np.std(draws, axis=0).min() > 1e-5
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded.sample_outputs(x, 4, seed=3), draws)
    model.export(tmp_path / "served")
    served = tf.saved_model.load(str(tmp_path / "served" / "1"))
    answer = served.signatures["samples"](
        inputs=tf.constant(x), num_samples=tf.constant([4]),
        seed=tf.constant([[3, 0]]))
    np.testing.assert_allclose(answer["samples"], draws, atol=1e-5)
