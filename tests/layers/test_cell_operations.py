"""Operations on several nodes at once are what they are on each node alone."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.layers.cell_operations import (
    FLAT,
    IMAGES,
    GroupedDense,
    check_operations,
)
from bdlzoo.layers.fused_normalization import FusedNormalization

GROUPS, WIDTH = 3, 4
OPERATIONS = {**{f"flat {name}": kind for name, kind in FLAT.items()}, **IMAGES}
RNG = np.random.default_rng(0)
IMAGE = RNG.normal(size=(2, 5, 6, GROUPS * WIDTH)).astype("float32")


def _rows(name):
    return IMAGE[:, 0, 0] if name.startswith("flat") else IMAGE


def _operation(name, x):
    operation = OPERATIONS[name](GROUPS)
    operation.build((x.shape, (GROUPS,)))
    for weight in operation.weights:  # None at its start: each must be used.
        weight.assign(RNG.uniform(0.2, 1.0, weight.shape))
    return operation


def _norms(name):
    """What normalises the nodes; of flat features, nothing does."""
    norms = [FusedNormalization(center=False, scale=False) for _ in range(GROUPS)]
    for norm in norms:
        norm.build((None, 5, 6, WIDTH))
        norm.set_weights(RNG.uniform(0.2, 1.0, (2, WIDTH)))
    return [None] * GROUPS if name.startswith("flat") else norms


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_node_has_the_operation_with_weights_of_its_own(name):
    x, norms = _rows(name), _norms(name)
    nodes = np.split(x, GROUPS, axis=-1)
    operation = _operation(name, x)
    outputs = operation.outputs(x if operation.raw else np.concatenate(
        [norm(node) if norm else node for norm, node in zip(norms, nodes)], axis=-1))
    assert outputs.shape == x.shape
    for group in range(GROUPS):
        part = slice(group * WIDTH, (group + 1) * WIDTH)
        expected = x[..., part]
        for layer, weights in operation.plain(group, norms[group]):
            layer.build(expected.shape)
            layer.set_weights(weights)
            expected = layer(expected)
        np.testing.assert_allclose(outputs[..., part], expected, atol=1e-4, rtol=1e-4)
    if name in ("zero", "flat identity"):
        np.testing.assert_array_equal(outputs, 0.0 * x if name == "zero" else x)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("training", [False, True])
def test_sum_over_nodes_is_that_of_the_outputs(name, training):
    """And so are its gradients and the averages that it moves."""
    x = tf.constant(_rows(name))
    weights = tf.constant([0.5, -1.0, 2.0])
    found = []
    for short in (True, False):
        operation = _operation(name, x)
        for place, weight in enumerate(operation.weights):  # The same both times.
            weight.assign(np.random.default_rng(place).uniform(0.2, 1, weight.shape))
        with tf.GradientTape() as tape:
            tape.watch([x, weights])
            if short:
                mixed = operation((x, weights), training=training)
            else:
                outputs = operation.outputs(x, training=training)
                nodes = tf.stack(tf.split(outputs, GROUPS, axis=-1), axis=-2)
                mixed = tf.reduce_sum(nodes * weights[:, None], axis=-2)
            loss = tf.reduce_sum(mixed**3)
        found.append([mixed, *operation.non_trainable_variables, *tape.gradient(
            loss, [x, weights, *operation.trainable_variables],
            unconnected_gradients="zero")])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3 * (
            1e-6 + np.abs(b).max()))


def test_dense_is_a_product_for_each_node():
    x = IMAGE[:, 0, 0]
    operation = _operation("flat dense_tanh", x)
    nodes = np.split(x, GROUPS, axis=-1)
    biases = np.split(operation.bias.numpy(), GROUPS)
    expected = [np.tanh(node @ kernel + bias) for node, kernel, bias in zip(
        nodes, operation.kernel.numpy(), biases)]
    np.testing.assert_allclose(operation.outputs(x), np.concatenate(expected, -1),
                               rtol=1e-5)


def test_initial_kernels_know_nothing_of_the_number_of_nodes():
    keras.utils.set_random_seed(1)
    scales = []
    for groups in (1, 6):
        operation = GroupedDense(groups)
        operation.build(((None, groups * 64), (groups,)))
        scales.append(operation.kernel.numpy().std())
    np.testing.assert_allclose(scales, np.sqrt(1 / 64), rtol=0.05)


@pytest.mark.parametrize("name, seen", [("separable_3x3", 2), ("dilated_3x3", 2),
                                        ("max_pool_3x3", 1)])
def test_a_pixel_sees_as_far_as_its_filters_reach(name, seen):
    x = np.zeros((1, 9, 9, GROUPS * WIDTH), "float32")
    operation = _operation(name, x)
    lit = x.copy()
    lit[0, 4, 4] = 1.0
    change = np.abs(operation.outputs(lit) - operation.outputs(x))[0]
    rows, columns = np.nonzero(change.max(-1))
    for places in (rows, columns):
        assert set(places) <= set(range(4 - seen, 5 + seen))
        assert {4 - seen, 4 + seen} <= set(places)
    if name == "dilated_3x3":
        assert len(rows) == 9  # Between them are holes.


def test_convolutions_normalise_what_comes_out():
    operation = OPERATIONS["separable_3x3"](GROUPS)
    operation.build((IMAGE.shape, (GROUPS,)))
    outputs = operation.outputs(IMAGE, training=True).numpy()
    outputs = outputs.reshape(-1, GROUPS * WIDTH)
    np.testing.assert_allclose(outputs.mean(0), 0.0, atol=1e-5)
    # Where the variance is large beside BatchNorm's epsilon.
    assert (outputs.var(0) < 1.0).all() and outputs.var(0).max() > 0.5


def test_published_numbers_of_weights():
    """54 a channel, growth 16: two of 2 + 9 + 16; 27: one of them."""
    for name, count in (("separable_3x3", 54), ("dilated_3x3", 27)):
        operation = OPERATIONS[name](GROUPS)
        operation.build(((None, 8, 8, GROUPS * 16), (GROUPS,)))
        found = sum(np.prod(w.shape) for w in operation.trainable_variables)
        assert found == count * GROUPS * 16


def test_gradients_of_dilated_filters_are_known_on_a_cpu():
    operation = _operation("dilated_3x3", IMAGE)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(operation((IMAGE, np.ones(GROUPS, "float32")))**2)
    for gradient in tape.gradient(loss, operation.trainable_variables):
        assert np.isfinite(gradient).all() and np.abs(gradient).max() > 0


def test_names_are_checked():
    assert check_operations(["zero", "identity"]) == ("zero", "identity")
    assert check_operations("identity") == ("identity",)
    for wrong in ((), ("conv",), ("zero", "zero")):
        with pytest.raises(ValueError, match="Received: operations="):
            check_operations(wrong)
