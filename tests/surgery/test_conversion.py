"""Adoption drives stock dropout by the scope and leaves all else alone."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.surgery import conversion
from tests.surgery import strange_networks

KEY = noise.key(0, noise.PREDICT)


def _adopted(*layers):
    network = keras.Sequential(layers)
    conversion.adopt(network)
    return network


def _draw(network, x, key=KEY, coherent=False):
    with noise.draws(key, coherent=coherent):
        return np.asarray(network(x, training=False))


@pytest.mark.parametrize("layer, variance", [
    (keras.layers.Dropout(0.2), 0.25), (keras.layers.GaussianDropout(0.2), 0.25)])
def test_noise_has_mean_one_and_the_variance_of_its_rate(layer, variance):
    """A linear unit: p / (1 - p) times the squares, in both kinds."""
    network = _adopted(keras.Input((400,)), layer)
    sample = _draw(network, np.ones((500, 400), "float32"))
    np.testing.assert_allclose(sample.mean(), 1.0, atol=0.01)
    np.testing.assert_allclose(sample.var(), variance, rtol=0.03)


def test_rows_have_noise_of_their_own_unless_coherent():
    network = _adopted(keras.Input((400,)), keras.layers.Dropout(0.5))
    x = np.ones((2, 400), "float32")
    apart, together = _draw(network, x), _draw(network, x, coherent=True)
    assert abs(np.corrcoef(apart)[0, 1]) < 0.2
    np.testing.assert_array_equal(together[0], together[1])


def test_layers_have_noise_of_their_own():
    first, second = keras.layers.Dropout(0.5), keras.layers.Dropout(0.5)
    inputs = keras.Input((400,))
    network = keras.Model(inputs, [first(inputs), second(inputs)])
    conversion.adopt(network)
    with noise.draws(KEY):
        a, b = network(np.ones((1, 400), "float32"))
    assert abs(np.corrcoef(a[0], b[0])[0, 1]) < 0.2


@pytest.mark.parametrize("layer, shape, constant", [
    (keras.layers.SpatialDropout1D(0.5), (5, 40), (1,)),
    (keras.layers.SpatialDropout2D(0.5), (4, 5, 40), (1, 2)),
    (keras.layers.SpatialDropout2D(0.5, data_format="channels_first"), (40, 4, 5),
     (2, 3)),
    (keras.layers.SpatialDropout3D(0.5), (2, 3, 4, 40), (1, 2, 3)),
    (keras.layers.Dropout(0.5, noise_shape=(None, 1, 40)), (5, 40), (1,))])
def test_spatial_dropout_drops_whole_channels(layer, shape, constant):
    network = _adopted(keras.Input(shape), layer)
    sample = _draw(network, np.ones((6, *shape), "float32"))
    assert (np.ptp(sample, axis=constant) == 0).all()
    channels = sample.mean(axis=constant)
    assert 0.7 < channels.mean() < 1.3 and set(np.unique(channels)) == {0.0, 2.0}


def test_outside_a_scope_an_adopted_layer_is_what_it_was():
    network = _adopted(keras.Input((400,)), keras.layers.Dropout(0.5))
    x = np.ones((1, 400), "float32")
    np.testing.assert_array_equal(network(x, training=False), x)
    assert (np.asarray(network(x, training=True)) == 0).any()


@pytest.mark.parametrize("name", strange_networks.ALL)
def test_drawing_moves_no_statistic(name):
    network = strange_networks.ALL[name]()
    x = np.random.default_rng(0).normal(size=(32, 6)).astype("float32")
    network(x)
    conversion.adopt(network)
    before = [w.numpy() for w in network.weights]
    a, b = _draw(network, x), _draw(network, x, key=noise.key(1, noise.PREDICT))
    assert not np.allclose(a, b)
    for old, new in zip(before, network.weights, strict=True):
        np.testing.assert_array_equal(old, new)


def test_own_dropout_of_a_user_is_left_alone():
    class Mine(keras.layers.Dropout):
        def call(self, inputs, training=False):
            return inputs + 1.0

    network = _adopted(keras.Input((4,)), Mine(0.5))
    x = np.zeros((2, 4), "float32")
    np.testing.assert_array_equal(_draw(network, x), x + 1.0)
    assert conversion.stochastic_layers(network) == []


def test_layer_without_a_salt_is_refused():
    layer = keras.layers.Dropout(0.5)
    with pytest.raises(ValueError, match="conversion.adopt"):
        noise.Draw(KEY, False).key_of(layer)


def test_keras_2_layer_is_refused():
    tfp = pytest.importorskip("tensorflow_probability")

    class Mixed(keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = [tfp.layers.DenseFlipout(3)]

        def call(self, inputs):
            return self.parts[0](inputs)

    with pytest.raises(ValueError, match="Keras 3.*DenseFlipout"):
        conversion.check_network(Mixed())


def test_layer_is_no_network():
    with pytest.raises(ValueError, match="Keras 3 model as network.*Dense"):
        conversion.check_network(keras.layers.Dense(2))


def _ends_in(*layers):
    return keras.Sequential([keras.Input((4,)), *layers])


@pytest.mark.parametrize("network", [
    _ends_in(keras.layers.Dense(3, activation="softmax")),
    _ends_in(keras.layers.Dense(3), keras.layers.Softmax()),
    _ends_in(_ends_in(keras.layers.Dense(3), keras.layers.Activation("sigmoid")))])
def test_network_that_ends_in_probabilities_is_refused(network):
    with pytest.raises(ValueError, match="outputs are logits.*from_logits=False"):
        conversion.refuse_probabilities(network)


def test_network_that_ends_in_logits_is_not():
    conversion.refuse_probabilities(strange_networks.skips())
    conversion.refuse_probabilities(strange_networks.subclassed())


def test_alpha_dropout_keeps_mean_and_variance_of_selu_units():
    network = keras.Sequential([keras.Input((2000,)), keras.layers.AlphaDropout(0.3)])
    conversion.adopt(network)
    x = noise.normal([4, 2000], noise.key(1))
    with noise.draws(noise.key(0)):
        drawn = network(x).numpy()
        np.testing.assert_array_equal(network(x), drawn)
    with noise.draws(noise.key(2)):
        assert np.abs(network(x) - drawn).max() > 0.1
    assert abs(drawn.mean()) < 0.05 and abs(drawn.std() - 1.0) < 0.05
    # Outside of a scope it is off, and the dropped units have one value inside.
    np.testing.assert_array_equal(network(x), x)
    floor = -1.7580993
    dropped = floor * 0.7 / np.sqrt(0.7 * (1.0 + 0.3 * floor**2))
    assert 0.27 < (np.abs(drawn - dropped) < 1e-5).mean() < 0.33


def test_a_layer_that_draws_by_itself_is_named(caplog):
    class Own(keras.layers.Layer):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.seeds = keras.random.SeedGenerator(0)

        def call(self, x):
            return x + keras.random.normal((1,), seed=self.seeds)

    network = keras.Sequential([
        keras.Input((2,)), Own(name="mine"), keras.layers.Dropout(0.5),
        keras.layers.GaussianNoise(0.1)])
    with caplog.at_level("WARNING"):
        conversion.adopt(network)
    found = [r.getMessage() for r in caplog.records if "random numbers" in r.msg]
    assert len(found) == 1 and "Layer mine of type Own" in found[0]
