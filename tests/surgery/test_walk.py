"""One walk finds all layers, and says the way to each."""

import keras

from bdlzoo.surgery import walk
from tests.surgery import strange_networks


def test_layers_in_attributes_lists_dictionaries_and_models_are_found():
    network = strange_networks.transformer()
    block = network.layers[2]
    ways = {found.way for found in walk.walk(block)}
    assert {(), ("attention",), ("attention", "_query_dense"), ("norms", 1),
            ("parts", "drop"), ("mlp",), ("mlp", "layers", 0)} <= ways
    for way, layer in walk.walk(block):
        assert walk.at(block, way) is layer
    assert walk.at(block, ("norms", 7)) is None
    assert walk.at(block, ("nothing",)) is None


def test_a_shared_layer_is_found_once():
    class Twice(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.first = self.second = keras.layers.Dense(2)

    layer = Twice()
    assert [found.way for found in walk.inside(layer)] == [("first",)]
    other = keras.layers.Dense(3)
    walk.replace(layer, layer.first, other)
    assert layer.first is other and layer.second is other
    assert walk.inside(layer) == [(("first",), other)]


def test_a_replaced_layer_is_no_longer_tracked():
    block = strange_networks.transformer().layers[2]
    old, new = block.norms[0], keras.layers.LayerNormalization()
    new.build((None, 5, 8))
    count = len(block.weights)
    walk.replace(block, old, new)
    assert block.norms[0] is new and len(block.weights) == count
    assert not any(weight is old.gamma for weight in block.weights)
    assert any(weight is new.gamma for weight in block.weights)


def test_a_layer_that_no_attribute_holds_has_no_way():
    class Hidden(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.held = [keras.layers.Dense(2)]
            self.__dict__.pop("held")  # Keras still tracks it.

    [found] = walk.inside(Hidden())
    assert found.way is None


def test_names_that_begin_as_those_of_tensorflow_are_attributes_too():
    class Attends(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self._self_attention = keras.layers.Dense(2)

    [found] = walk.inside(Attends())
    assert found.way == ("_self_attention",)
