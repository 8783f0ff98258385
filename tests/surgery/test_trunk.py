"""The split network says what the whole one says, and runs its trunk once."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.surgery import conversion
from bdlzoo.surgery.trunk import Trunk
from tests.surgery import strange_networks

KEY = noise.key(0, noise.PREDICT)


def _ready(name):
    network = strange_networks.ALL[name]()
    x = np.random.default_rng(0).normal(size=(5, 6)).astype("float32")
    network(x)
    conversion.adopt(network)
    return network, Trunk(network), x


@pytest.mark.parametrize("name", strange_networks.ALL)
@pytest.mark.parametrize("coherent", [True, False])
def test_parts_equal_the_whole(name, coherent):
    network, trunk, x = _ready(name)
    with noise.draws(KEY, coherent=coherent):
        whole = network(x, training=False)
    hidden = trunk.begin(x)
    with noise.draws(KEY, coherent=coherent):
        parts = trunk.finish(hidden)
    np.testing.assert_allclose(parts, whole, atol=1e-6)


def test_trunk_holds_all_that_is_certain():
    _, trunk, _ = _ready("skips")
    before = [call.layer.__class__.__name__ for call in trunk.before]
    after = [call.layer.__class__.__name__ for call in trunk.after]
    assert before == ["Dense", "BatchNormalization", "Activation"]
    assert after == ["Dropout", "Dense", "Concatenate", "Dense"]
    assert len(trunk.frontier) == 1


def test_random_nested_models_are_unfolded_and_others_are_not():
    _, trunk, _ = _ready("nested")
    assert [call.layer.__class__.__name__ for call in trunk.before] == [
        "Sequential", "Dense", "BatchNormalization"]


def test_shared_model_keeps_its_noise_in_one_draw():
    """Called twice in one draw, it is one network with one mask."""
    drop = keras.layers.Dropout(0.5)
    inputs = keras.Input((100,))
    network = keras.Model(inputs, [drop(inputs), drop(2.0 * inputs)])
    conversion.adopt(network)
    trunk = Trunk(network)
    with noise.draws(KEY, coherent=True):
        first, second = trunk.finish(trunk.begin(np.ones((1, 100), "float32")))
    np.testing.assert_allclose(2.0 * np.asarray(first), second)


def test_network_without_noise_is_all_trunk():
    inputs = keras.Input((6,))
    network = keras.Model(inputs, keras.layers.Dense(3)(inputs))
    conversion.adopt(network)
    trunk = Trunk(network)
    x = np.ones((2, 6), "float32")
    assert trunk.after == []
    np.testing.assert_allclose(trunk.finish(trunk.begin(x)), network(x))


def test_training_reaches_the_layers_of_both_parts():
    network, trunk, x = _ready("skips")
    [normal] = [layer for layer in network.layers
                if isinstance(layer, keras.layers.BatchNormalization)]
    before = normal.moving_mean.numpy()
    trunk.begin(x, training=False)
    np.testing.assert_array_equal(normal.moving_mean, before)
    trunk.begin(x, training=True)
    assert not np.array_equal(normal.moving_mean, before)
