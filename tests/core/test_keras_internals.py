"""Private parts of Keras are where the zoo expects them, in this version."""

import keras

from bdlzoo.core import keras_internals
from tests.surgery import strange_networks


def test_version_is_one_this_was_written_for():
    """Fails first after an update: look at `keras_internals` again then."""
    assert keras.__version__.startswith(("3.14.", "3.15."))


def test_layers_come_in_the_same_order_in_a_copy():
    for make in (strange_networks.skips, strange_networks.nested):
        network = make()
        copy = keras.models.model_from_json(network.to_json())
        kinds = [[type(layer) for layer in keras_internals.layers(n)]
                 for n in (network, copy)]
        assert kinds[0] == kinds[1]


def test_graph_tells_subclassed_from_the_others():
    assert keras_internals.graph(strange_networks.subclassed()) is None
    assert keras_internals.graph(strange_networks.sequential()) is not None
    assert keras_internals.graph(strange_networks.skips()) is not None


def test_takes_training():
    """Any layer may be told; a bare operation may not."""
    inputs = keras.Input((2,))
    network = keras.Model(inputs, keras.layers.Dense(2)(inputs) * 2.0)
    told = [keras_internals.takes_training(node.operation)
            for node in keras_internals.nodes(network)]
    assert told == [True, False]


def test_schedule_of_a_learning_rate():
    falling = keras.optimizers.schedules.CosineDecay(0.1, 10)
    assert keras_internals.schedule(keras.optimizers.SGD(falling)) is falling
    assert keras_internals.schedule(keras.optimizers.SGD(0.1)) is None
