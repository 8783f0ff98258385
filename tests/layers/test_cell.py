"""A cell: the graph of its nodes against one built by hand, and as plain Keras."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import Cell
from bdlzoo.layers.concrete_structure import edges
from bdlzoo.surgery import conversion

FLAT = ("zero", "identity", "dense_relu", "dense_tanh")
IMAGES = ("zero", "identity", "separable_3x3", "dilated_3x3", "average_pool_3x3")
RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(6, 5)).astype("float32")
PICTURES = RNG.normal(size=(4, 6, 6, 5)).astype("float32")


def _cell(x, nodes=4, growth=3, operations=None, **kwargs):
    operations = operations or (FLAT if x.ndim == 2 else IMAGES)
    cell = Cell(nodes, growth, operations, **kwargs)
    cell.build((x.shape, (len(edges(nodes)), len(operations))))
    for weight in cell.weights:  # None at its start: each must be used.
        weight.assign(RNG.uniform(0.3, 1.0, weight.shape))
    return cell


def _one_hot(cell, name):
    row = np.eye(len(cell.operations))[cell.operations.index(name)]
    return np.tile(row, (len(edges(cell.num_nodes)), 1)).astype("float32")


def test_identity_everywhere_is_the_sum_network():
    cell = _cell(ROWS)
    [dense] = cell.preprocess
    nodes = []
    for part in np.split(ROWS @ dense.kernel + dense.bias, 4, axis=-1):
        nodes.append(part + sum(nodes))
    np.testing.assert_allclose(
        cell([ROWS, _one_hot(cell, "identity")]),
        np.concatenate([ROWS, *nodes], axis=-1), rtol=1e-5)


def test_identity_everywhere_is_the_sum_network_of_normalised_images():
    cell = _cell(PICTURES)
    before, _, conv, after = cell.preprocess
    parts = after(conv(tf.nn.relu(before(PICTURES))))
    nodes = []
    for part in np.split(parts, 4, axis=-1):
        nodes.append(part + sum(norm(node) for norm, node in zip(cell.norms, nodes)))
    np.testing.assert_allclose(
        cell([PICTURES, _one_hot(cell, "identity")]),
        np.concatenate([PICTURES, *nodes], axis=-1), rtol=1e-4, atol=1e-5)


def test_zero_everywhere_leaves_the_slices():
    cell = _cell(ROWS)
    [dense] = cell.preprocess
    np.testing.assert_allclose(
        cell([ROWS, _one_hot(cell, "zero")]),
        np.concatenate([ROWS, ROWS @ dense.kernel + dense.bias], -1), rtol=1e-5)


def test_edges_lead_where_the_rows_of_the_structure_say():
    """Identity on one edge alone: its end gets its start, and nothing else moves."""
    cell = _cell(ROWS)
    nothing = _one_hot(cell, "zero")
    plain = np.split(cell([ROWS, nothing])[:, 5:], 4, axis=-1)
    for place, (first, last) in enumerate(edges(4)):
        weights = nothing.copy()
        weights[place] = [0, 1, 0, 0]
        nodes = np.split(cell([ROWS, weights])[:, 5:], 4, axis=-1)
        for node in range(4):
            expected = plain[node] + (plain[first] if node == last else 0.0)
            np.testing.assert_allclose(nodes[node], expected, rtol=1e-5)


# Five wide nodes are treated three at a time, where narrow ones lie all side by side.
@pytest.mark.parametrize("x, nodes, growth", [
    (ROWS, 3, 3), (PICTURES, 3, 3), (ROWS, 5, 16), (PICTURES, 5, 16)],
    ids=["rows", "pictures", "wide rows", "wide pictures"])
@pytest.mark.parametrize("sharp", [False, True])
def test_plain_layers_give_the_same(x, nodes, growth, sharp):
    cell = _cell(x, nodes, growth)
    for weight in cell.trainable_variables:  # So that no channel becomes large.
        weight.assign(weight - (0.65 if len(weight.shape) > 1 else 0.0))
    choices, rows = len(cell.operations), len(edges(nodes))
    weights = RNG.dirichlet(np.ones(choices), rows).astype("float32")
    if sharp:
        weights = np.eye(choices, dtype="float32")[np.resize([2, 1, 3], rows)]
    inputs = keras.Input(x.shape[1:])
    plain = keras.Model(inputs, cell.plain(inputs, weights))
    for training in (False, True):  # The second moves the averages.
        np.testing.assert_allclose(
            plain(x, training=training), cell([x, weights], training=training),
            rtol=1e-4, atol=1e-4)
    assert not any(type(layer).__module__.startswith("bdlzoo")
                   for layer in plain.layers)
    kinds = {type(layer).__name__ for layer in plain.layers}
    assert ("Rescaling" in kinds) != sharp


def test_every_weight_learns_and_statistics_move_in_training_only():
    cell = _cell(PICTURES)
    weights = np.full((6, 5), 0.2, "float32")
    moving = [w for w in cell.non_trainable_variables]
    before = [w.numpy() for w in moving]
    cell([PICTURES, weights])
    for old, new in zip(before, moving, strict=True):
        np.testing.assert_array_equal(old, new)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(cell([PICTURES, weights], training=True)**3)
    for gradient in tape.gradient(loss, cell.trainable_variables):
        assert np.isfinite(gradient).all() and np.abs(gradient).max() > 0
    for old, new in zip(before, moving, strict=True):
        assert not np.array_equal(old, new)


def test_dropout_is_on_every_node_in_a_draw_only():
    cell = _cell(ROWS, dropout=0.5)
    inputs, weights = keras.Input((5,)), keras.Input(batch_shape=(6, 4))
    network = keras.Model([inputs, weights], cell([inputs, weights]))
    conversion.adopt(network)
    nothing = _one_hot(cell, "zero")
    with noise.draws(noise.key(0)):
        nodes = network([np.tile(ROWS, (20, 1)), nothing]).numpy()[:, 5:]
    assert 0.4 < (nodes == 0.0).mean() < 0.6
    assert not (network([ROWS, nothing]).numpy()[:, 5:] == 0.0).any()


@pytest.mark.parametrize("shape, structure, words", [
    ((None, 5, 3), (6, 4), "input_shape"),
    ((None, 8, 8, 3), (6, 4), "operations of images"),
    ((None, 5), (3, 4), r"structure of shape \(3, 4\)")])
def test_what_does_not_fit_is_refused(shape, structure, words):
    with pytest.raises(ValueError, match=words):
        Cell(4, 3, FLAT).build((shape, structure))
    with pytest.raises(ValueError, match="num_nodes=1"):
        Cell(1, 3, FLAT)
    with pytest.raises(ValueError, match="operations of features"):
        Cell(3, 3, IMAGES).build(((None, 5), (3, 5)))
