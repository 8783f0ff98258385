"""A stacked network is its copies, whatever the network looks like."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.surgery import conversion
from bdlzoo.surgery.stacked_network import StackedNetwork, twin
from tests.surgery import strange_networks

X = np.linspace(-1, 1, 4 * 6).reshape(4, 6).astype("float32")


def _skips():
    inputs = keras.Input((6,))
    hidden = keras.layers.Dense(6, activation="relu")(inputs)
    hidden = keras.layers.BatchNormalization()(hidden + inputs)
    both = keras.layers.Concatenate()([hidden, 2.0 * inputs])
    return keras.Model(inputs, keras.layers.Dense(3)(both))


def _nested_and_shared():
    shared = keras.layers.Dense(6, activation="tanh")
    inner = keras.Sequential([keras.Input((6,)), keras.layers.Dense(6)])
    inputs = keras.Input((6,))
    return keras.Model(inputs, inner(shared(inner(shared(inputs)))))


def _sequential():
    return keras.Sequential([keras.layers.Dense(5, activation="relu"),
                             keras.layers.Dropout(0.5), keras.layers.Dense(3)])


@keras.saving.register_keras_serializable(package="test_stacked_network")
class Subclassed(keras.Model):
    """Hides its calls."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first = keras.layers.Dense(5, activation="relu")
        self.norm = keras.layers.BatchNormalization()
        self.last = keras.layers.Dense(3)

    def build(self, shape):
        self.first.build(shape)
        self.norm.build((None, 5))
        self.last.build((None, 5))

    def call(self, inputs, training=False):
        return self.last(self.norm(self.first(inputs), training=training))


NETWORKS = [_skips, _nested_and_shared, _sequential, Subclassed]


def _stacked(make, copies=3):
    network = StackedNetwork(make(), copies, seed=1)
    network.build((1, None, 6))
    return network


@pytest.mark.parametrize("make", NETWORKS, ids=lambda f: f.__name__)
def test_copies_are_plain_models(make):
    """T1.4: the stack equals separate Keras models with the same weights."""
    network = _stacked(make)
    outputs = network(X[None])
    assert len(outputs) == 3
    for copy in range(3):
        np.testing.assert_allclose(outputs[copy], network.get_copy(copy)(X),
                                   atol=1e-5)
    assert np.abs(outputs[0] - outputs[1]).max() > 1e-3  # Own initial weights.


@pytest.mark.parametrize("make", NETWORKS, ids=lambda f: f.__name__)
def test_a_copy_takes_the_weights_of_a_plain_model(make):
    network = _stacked(make)
    before = network(X[None])
    other = twin(network.plain)
    network.set_copy(1, other)
    after = network(X[None])
    np.testing.assert_allclose(after[1], other(X), atol=1e-5)
    np.testing.assert_array_equal(after[0], before[0])
    np.testing.assert_array_equal(after[2], before[2])


def test_each_copy_reads_its_rows():
    network = _stacked(_skips)
    rows = np.stack([X, X[::-1], 2 * X])
    outputs = network(rows)
    for copy in range(3):
        np.testing.assert_allclose(
            outputs[copy], network.get_copy(copy)(rows[copy]), atol=1e-5)


def test_statistics_of_a_subclassed_network_are_kept():
    network = _stacked(Subclassed)
    plain = network.get_copy(2)
    network(X[None], training=True)
    plain(X, training=True)
    np.testing.assert_allclose(network.get_copy(2).norm.moving_mean,
                               plain.norm.moving_mean, atol=1e-6)
    assert np.abs(plain.norm.moving_mean).max() > 0


def _convolutions():
    inputs = keras.Input((6, 4))
    hidden = keras.layers.Conv1D(5, 3, activation="relu")(inputs)
    hidden = keras.layers.Dropout(0.5)(keras.layers.MaxPooling1D(2)(hidden))
    both = hidden + keras.layers.Conv1D(5, 1)(hidden)
    return keras.Model(inputs, keras.layers.Dense(3)(keras.layers.Flatten()(both)))


def test_convolutions_run_apart_and_come_together():
    network = StackedNetwork(_convolutions(), 3)
    network.build((1, None, 6, 4))
    rows = noise.normal((3, 2, 6, 4), noise.key(0))
    for x in (rows, rows[:1]):
        outputs = network(x)
        for copy in range(3):
            np.testing.assert_allclose(
                outputs[copy], network.get_copy(copy)(x[copy % len(x)]), atol=1e-5)


def test_copies_that_run_apart_have_masks_of_their_own():
    network = StackedNetwork(_convolutions(), 2)
    network.build((1, None, 6, 4))
    conversion.adopt(network.plain)
    network.set_copy(1, network.get_copy(0))
    with noise.draws(noise.key(0)):
        first, second = network(np.ones((1, 8, 6, 4), "float32"))
    assert np.abs(first - second).max() > 1e-3


def test_inputs_by_name_find_their_place():
    parts = {name: keras.Input((6,), name=name) for name in ("b", "a")}
    outputs = parts["b"] - 2.0 * keras.layers.Dense(6)(parts["a"])
    network = StackedNetwork(keras.Model(parts, outputs), 2)
    network.build({"b": (1, None, 6), "a": (1, None, 6)})
    x = {"a": X[None], "b": 3.0 * X[None]}
    np.testing.assert_allclose(
        network(x)[1], network.get_copy(1)({"a": X, "b": 3.0 * X}), atol=1e-5)


def test_layers_of_one_shape_start_apart():
    network = StackedNetwork(keras.Sequential([
        keras.Input((6,)), keras.layers.Dense(6), keras.layers.Dense(6)]), 2)
    network.build((1, None, 6))
    first, second = (stack.get_copy(0)[0] for stack in network.stacks)
    assert np.abs(first - second).min() > 0


def test_the_plain_network_is_neither_tracked_nor_trained():
    network = _stacked(_skips)
    assert len(network.trainable_variables) == 6
    assert all(w.shape[0] == 3 for w in network.weights)


def test_config_gives_a_network_of_the_same_make():
    network = _stacked(_skips)
    again = StackedNetwork.from_config(network.get_config())
    again.build((1, None, 6))
    np.testing.assert_array_equal(again(X[None]), network(X[None]))  # Same seed.


def test_no_copies_is_an_error():
    with pytest.raises(ValueError, match="at least one copy"):
        StackedNetwork(_sequential(), 0)


def _masked():
    inputs = keras.Input((6,))
    x = keras.layers.Embedding(9, 4, mask_zero=True)(inputs)
    return keras.Model(inputs, keras.layers.Dense(3)(keras.layers.LSTM(5)(x)))


def _masked_attention():
    """Attention reads masks from tensors, not from its arguments."""
    inputs = keras.Input((6,))
    x = keras.layers.Embedding(30, 4, mask_zero=True)(inputs)
    x = keras.layers.MultiHeadAttention(2, 3)(x, x)
    return keras.Model(inputs, keras.layers.GlobalAveragePooling1D()(x))


def _constants():
    """Constants among the arguments of operations, one with an axis for rows."""
    inputs = keras.Input((6,))
    x = keras.layers.Dense(4)(inputs) + keras.ops.arange(4, dtype="float32")
    x = keras.layers.Dense(4)(x) * keras.ops.ones((1, 4))
    return keras.Model(inputs, keras.layers.Dense(3)(x))


def _mixing():
    """Operations over rows, and rows by index."""
    inputs = keras.Input((6,))
    x = keras.layers.Dense(4)(inputs)
    x = x - keras.ops.mean(x, axis=0, keepdims=True)
    x = keras.ops.take(x, keras.ops.cast(inputs[:, 0] > 0, "int32"), axis=0)
    return keras.Model(inputs, keras.layers.Dense(3)(x))


def _normalised():
    layer = keras.layers.Normalization()
    layer.adapt(X * 3 + 1)
    return keras.Sequential([keras.Input((6,)), layer, keras.layers.Dense(3)])


def _transformer():
    inputs = keras.Input((6,))
    x = keras.layers.Dense(8)(keras.layers.Reshape((6, 1))(inputs))
    x = strange_networks.Block()(x)
    return keras.Model(inputs, keras.layers.GlobalAveragePooling1D()(x))


@pytest.mark.parametrize("make", [
    _masked, _masked_attention, _constants, _mixing, _normalised, _transformer])
def test_each_copy_is_the_network_that_it_was_given(make):
    x = np.floor(np.abs(4.0 * X)) if "masked" in make.__name__ else X
    others = [make() for _ in range(2)]
    network = StackedNetwork(twin(others[0]), 2)
    network.build((1, None, 6))
    for copy, other in enumerate(others):
        network.set_copy(copy, other)
    for copy, other in enumerate(others):
        np.testing.assert_allclose(network(x[None])[copy], other(x), atol=1e-5)
        np.testing.assert_allclose(network.get_copy(copy)(x), other(x), atol=1e-5)


def test_statistics_of_layers_inside_of_layers_move_for_each_copy():
    class Inside(keras.layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.norm = keras.layers.BatchNormalization(momentum=0.0)

        def call(self, inputs, training=False):
            return self.norm(inputs, training=training)

    network = StackedNetwork(keras.Sequential([keras.Input((6,)), Inside()]), 2)
    network.build((1, None, 6))
    network(np.stack([X, X + 5.0]), training=True)
    means = [network.get_copy(copy).layers[0].norm.moving_mean for copy in range(2)]
    np.testing.assert_allclose(means, [X.mean(0), X.mean(0) + 5.0], atol=1e-5)
