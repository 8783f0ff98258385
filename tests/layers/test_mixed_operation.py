"""All edges into a node: a weighted sum over nodes and operations."""

import keras
import numpy as np

from bdlzoo.core import noise
from bdlzoo.layers import MixedOperation
from bdlzoo.surgery import conversion

NAMES = ("zero", "identity", "dense_relu", "dense_tanh")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 6)).astype("float32")  # Three nodes of width 2.
WEIGHTS = RNG.dirichlet(np.ones(4), 3).astype("float32")


def _network(**kwargs):
    nodes, weights = keras.Input((6,)), keras.Input(batch_shape=(3, 4))
    layer = MixedOperation(NAMES, 3, **kwargs)
    network = keras.Model([nodes, weights], layer([nodes, weights]))
    conversion.adopt(network)
    return network, layer


def test_outputs_are_the_weighted_sum():
    network, layer = _network()
    expected = np.zeros((5, 2))
    for place, part in enumerate(layer.parts):
        outputs = np.reshape(part.outputs(X), (5, 3, 2))
        expected += np.sum(outputs * WEIGHTS[:, place, None], axis=1)
    np.testing.assert_allclose(network([X, WEIGHTS]), expected, rtol=1e-5)


def test_zero_alone_is_no_edge():
    layer = MixedOperation(("zero",), 3)
    layer.build(((None, 6), (3, 1)))
    np.testing.assert_array_equal(layer([X, np.ones((3, 1), "float32")]),
                                  np.zeros((5, 2)))


def test_drop_path_drops_whole_edges_of_operations_with_kernels():
    network, layer = _network(drop_path=0.5)
    assert [part.drop_path for part in layer.parts] == [0.0, 0.0, 0.5, 0.5]
    plain = network([X, WEIGHTS])
    rows = np.repeat(X[:1], 400, axis=0)
    with noise.draws(noise.key(0)):
        mixed = network([rows, WEIGHTS]).numpy()
    # 6 masks of one bit: 64 sums at most, and each row has its own.
    assert 30 < len(np.unique(mixed.round(5), axis=0)) <= 64
    np.testing.assert_allclose(mixed.mean(0), plain[0], atol=0.2)
    with noise.draws(noise.key(0), coherent=True):
        assert len(np.unique(network([rows, WEIGHTS]), axis=0)) == 1
    np.testing.assert_array_equal(network([X, WEIGHTS]), plain)
