"""A copy keeps what a saved layer keeps."""

import keras
import numpy as np
import pytest

from bdlzoo.surgery import cloning
from tests.surgery import strange_networks


def test_tables_and_weights_of_words_come_along():
    layer = keras.layers.TextVectorization(output_mode="tf_idf")
    layer.adapt(["a b c", "a d"])
    other = cloning.clone(layer)
    np.testing.assert_array_equal(other(["a d e"]), layer(["a d e"]))


def test_statistics_that_were_adapted_come_along():
    layer = keras.layers.Normalization()
    layer.adapt(np.array([[1.0, 2.0], [3.0, 9.0]]))
    other = cloning.clone(layer)
    other.build((None, 2))
    cloning.copy_own(layer, other)
    np.testing.assert_allclose(other([[2.0, 4.0]]), layer(np.array([[2.0, 4.0]])))


def test_layers_inside_of_layers_come_along_with_what_is_frozen():
    block = strange_networks.transformer().layers[2]
    block.norms[1].trainable = False
    other = cloning.clone(block)
    other(np.zeros((1, 5, 8), "float32"))
    cloning.copy_state(block, other)
    for mine, theirs in zip(block.weights, other.weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert not other.norms[1].trainable and other.norms[0].trainable


def test_a_lambda_of_this_process_is_copied():
    layer = keras.layers.Lambda(lambda x: 2 * x)
    assert cloning.clone(layer)(np.array([3])) == 6


def test_a_layer_that_nobody_can_copy_is_named():
    class NoConfig(keras.layers.Layer):
        def __init__(self, function):
            super().__init__(name="strange")
            self.function = function

    with pytest.raises(ValueError, match="`get_config`.*layer strange of type NoConf"):
        cloning.clone(NoConfig(lambda x: x))


def test_a_copy_that_lacks_a_layer_is_named():
    block, other = (strange_networks.transformer().layers[2] for _ in range(2))
    other.norms = other.norms[:1]
    with pytest.raises(ValueError, match="same layers in a copy.*layer_norm"):
        cloning.copy_state(block, other)
