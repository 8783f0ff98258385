"""The network of dense cells has the sizes that it is told."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.networks import CellMLP


def test_weights_of_two_cells_on_images():
    network = CellMLP((8, 8, 1), cells=2, num_nodes=3, growth=4)
    cells = sum(12 * (c + 1) + 2 * 3 * (4 * 4 + 4) for c in (64, 76))
    found = sum(int(np.prod(w.shape)) for w in network.trainable_variables)
    assert found == cells + 10 * (88 + 1) + 3 * 4
    assert network.output_shape == (None, 10)


def test_config_finds_it_and_a_file_keeps_it(tmp_path):
    network = registry.build(dict(type="CellMLP", growth=4, drop_path=0.2, outputs=2),
                             input_shape=(3,))
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)
    np.testing.assert_array_equal(network(x), loaded(x))


@pytest.mark.parametrize("wrong", [
    {"cells": 0}, {"growth": 0}, {"dropout": 1.0}, {"num_nodes": 1},
    {"operations": ()}, {"outputs": 0}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        CellMLP(**{"input_shape": (3,), **wrong})
