"""Operations on several nodes at once are what they are on each node alone."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.layers.cell_operations import check_operations
from bdlzoo.layers.fused_normalization import FusedNormalization
from tests.layers.cell_cases import GROUPS, OPERATIONS, RNG, WIDTH, make, nodes_of


def _norms(name):
    """Layers that normalise the nodes of images; flat nodes have none."""
    norms = [FusedNormalization(center=False, scale=False) for _ in range(GROUPS)]
    for norm in norms:
        norm.build((None, 5, 6, WIDTH))
        norm.set_weights(RNG.uniform(0.2, 1.0, (2, WIDTH)))
    return [None] * GROUPS if name.startswith("flat") else norms


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_node_has_the_operation_with_weights_of_its_own(name):
    x, norms = nodes_of(name), _norms(name)
    nodes = np.split(x, GROUPS, axis=-1)
    operation = make(name, x)
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


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("training", [False, True])
def test_sum_over_nodes_is_that_of_the_outputs(name, training):
    """And so are its gradients and the averages that it moves."""
    x = tf.constant(nodes_of(name))
    weights = tf.constant([0.5, -1.0, 2.0])
    found = []
    for short in (True, False):
        operation = make(name, x)
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


@pytest.mark.parametrize("name", OPERATIONS)
def test_config_gives_the_same_operation(name):
    operation = OPERATIONS[name](GROUPS, drop_path=0.25)
    twin = type(operation).from_config(operation.get_config())
    assert twin.get_config() == operation.get_config()
    assert operation.drop_path == (0.25 if operation.has_kernels else 0.0)


def test_names_are_checked():
    assert check_operations(["zero", "identity"]) == ("zero", "identity")
    assert check_operations("identity") == ("identity",)
    for wrong in ((), ("conv",), ("zero", "zero")):
        with pytest.raises(ValueError, match="Received: operations="):
            check_operations(wrong)


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - {"flat zero"}))
def test_shape_is_known_in_a_graph_for_images_of_any_sides(name):
    """TensorFlow ends the process where a cost is estimated of an unknown shape."""
    if name.startswith("flat"):
        return
    x = np.zeros((2, 5, 6, GROUPS * WIDTH), "float32")
    operation = make(name, x)
    traced = tf.function(operation.outputs).get_concrete_function(
        tf.TensorSpec([None, 7, 10, GROUPS * WIDTH]))
    assert traced.output_shapes.as_list() == [None, 7, 10, GROUPS * WIDTH]
    for op in traced.graph.get_operations():  # On the way there too.
        if op.type == "DepthwiseConv2dNative":
            assert op.outputs[0].shape[1:].is_fully_defined()
