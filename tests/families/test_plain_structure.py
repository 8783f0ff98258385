"""A structure as a plain Keras model: the same outputs, without this package."""

import subprocess
import sys

import keras
import numpy as np
import pytest

from bdlzoo.core import keras_internals
from bdlzoo.families import plain_structure
from bdlzoo.layers import ConcreteStructure
from bdlzoo.networks import CellCNN, CellMLP

LOAD = """
import sys; sys.modules["bdlzoo"] = None  # Any import of it now fails.
import keras, numpy as np
model = keras.saving.load_model(sys.argv[1])
np.save(sys.argv[2], model(np.load(sys.argv[3])))
"""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6, 6, 2)).astype("float32")
STRUCTURE = {(0, 1): "separable_3x3", (0, 2): "identity", (1, 2): "dilated_3x3"}


@pytest.fixture(scope="module")
def network():
    keras.utils.set_random_seed(0)
    network = CellCNN((6, 6, 2), outputs=3, stages=(1, 1), num_nodes=3, growth=2,
                      stem=3)
    for weight in network.weights:
        weight.assign(RNG.uniform(0.3, 1.0, weight.shape))
    return network


def _structure(network):
    [layer] = [layer for layer in keras_internals.layers(network)
               if isinstance(layer, ConcreteStructure)]
    return layer


def _wired(network, structure):
    """The network with that structure as its own."""
    layer = _structure(network)
    layer.theta.assign(1e4 * plain_structure.mixing_weights(layer, structure))
    return network


def test_outputs_are_those_of_the_network_with_one_hot_weights(network, tmp_path):
    plain = plain_structure.extract(network, STRUCTURE)
    expected = _wired(network, STRUCTURE)(X)
    np.testing.assert_allclose(plain(X), expected, rtol=1e-4, atol=1e-4)
    paths = [str(tmp_path / name) for name in ("p.keras", "out.npy", "x.npy")]
    plain.save(paths[0])
    np.save(paths[2], X)
    subprocess.run([sys.executable, "-c", LOAD, *paths], check=True)
    np.testing.assert_allclose(np.load(paths[1]), expected, rtol=1e-4, atol=1e-4)
    # Unused operations have gone.
    assert plain.count_params() < network.count_params()


def test_mixtures_are_kept_too(network):
    weights = RNG.dirichlet(np.ones(4), 3)
    plain = plain_structure.extract(network, weights)
    _structure(network).theta.assign(np.log(weights))
    np.testing.assert_allclose(plain(X), network(X), rtol=1e-3, atol=1e-4)


def test_statistics_are_measured_on_whole_batches(network):
    plain = plain_structure.extract(network, STRUCTURE)
    plain_structure.average_statistics(plain, X, batch_size=12)
    stem, norm = plain.layers[1], next(
        layer for layer in plain.layers
        if isinstance(layer, keras.layers.BatchNormalization))
    parts = [np.asarray(stem(X[start:start + 12])) for start in (0, 12, 24)]
    np.testing.assert_allclose(
        norm.moving_mean, np.mean([part.mean((0, 1, 2)) for part in parts], 0),
        rtol=1e-4)
    np.testing.assert_allclose(
        norm.moving_variance, np.mean([part.var((0, 1, 2)) for part in parts], 0),
        rtol=1e-4)
    assert norm.momentum == 0.99
    # Few rows are one batch, by which training and prediction are the same.
    plain_structure.average_statistics(plain, X[:8])
    np.testing.assert_allclose(plain(X[:8]), plain(X[:8], training=True), rtol=1e-3,
                               atol=1e-4)


def test_dropout_comes_along():
    network = CellMLP((3,), 2, cells=1, growth=2, dropout=0.2, drop_path=0.3)
    plain = plain_structure.extract(network, np.full((3, 4), 0.25))
    rates = [layer.rate for layer in plain.layers
             if isinstance(layer, keras.layers.Dropout)]
    assert sorted(rates) == [0.2] * 3 + [0.3] * 6


def test_what_is_no_structure_of_the_network_is_refused(network):
    for wrong in ({(0, 1): "identity"}, {**STRUCTURE, (0, 2): "dense_relu"},
                  np.ones((2, 4))):
        with pytest.raises(ValueError, match="Received: structure"):
            plain_structure.extract(network, wrong)
    with pytest.raises(ValueError, match="functional network"):
        plain_structure.extract(keras.Model(), STRUCTURE)
