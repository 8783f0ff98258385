"""The network of cells has the sizes that were published, and smaller ones."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.layers import Cell, ConcreteStructure
from bdlzoo.networks import CellCNN
from bdlzoo.networks.cell_cnn import OPERATIONS

TINY = dict(input_shape=(8, 8, 1), stages=(1, 1), num_nodes=2, growth=2, stem=4)


def _count(network):
    return sum(int(np.prod(w.shape)) for w in network.trainable_variables)


def test_published_cell_has_as_many_weights_as_its_edges():
    # Two BatchNorms, 9 taps and 16 products a channel, and once more; and half of it
    # for the dilated one, on 16 (1 + 2 + ... + 6) channels.
    cell = Cell(7, 16, OPERATIONS)
    cell.build(((None, 32, 32, 144), (21, 4)))
    assert _count(cell) == 2 * 144 + 112 * 144 + 81 * 16 * 21 == 43_632


@pytest.mark.slow
def test_published_network_has_as_many_weights_as_its_parts():
    """3 stages of 4 cells, 7 nodes, growth 16, 32 channels at first, 40 % kept."""
    channels, expected = 32, 9 * 3 * 32
    for stage in range(3):
        if stage:
            kept = int(0.4 * channels)
            expected += 2 * channels + channels * kept
            channels = kept
        for _ in range(4):
            expected += 2 * channels + 112 * channels + 81 * 16 * 21
            channels += 7 * 16
    expected += 2 * channels + 10 * (channels + 1)
    network = CellCNN((32, 32, 3))
    [structure] = [layer for layer in network.layers
                   if isinstance(layer, ConcreteStructure)]
    assert _count(structure) == 21 * 4
    assert _count(network) == expected + 21 * 4 == 1_042_942
    assert network.output_shape == (None, 10)


def test_stem_halves_and_transitions_halve_again():
    network = CellCNN((28, 28, 1), stages=(2, 1), num_nodes=3, growth=4, stem=6,
                      stem_stride=2, reduction=0.5)
    cells = [layer for layer in network.layers if isinstance(layer, Cell)]
    assert [layer.output.shape[1:] for layer in cells] == [
        (14, 14, 18), (14, 14, 30), (7, 7, 27)]
    structures = {id(layer.input[1]) for layer in cells}
    assert len(structures) == 1  # One for all of them.


def test_weights_of_the_tiny_one():
    network = CellCNN(**TINY)
    cells = sum(2 * c + 4 * c + 2 * (2 * 2 + 2 * 9 + 2 * 2 + 2 + 9 + 2)
                for c in (4, 3))
    transition, last = 2 * 8 + 8 * 3, 2 * 7 + 10 * 8
    assert _count(network) == 9 * 4 + cells + transition + last + 4


def test_config_finds_it_and_a_file_keeps_it(tmp_path):
    network = registry.build({"type": "cell_cnn", **TINY, "dropout": 0.1})
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    x = np.random.default_rng(0).normal(size=(2, 8, 8, 1)).astype("float32")
    np.testing.assert_array_equal(network(x), loaded(x))


@pytest.mark.parametrize("wrong", [
    {"stages": ()}, {"growth": 0}, {"reduction": 0.0}, {"dropout": 1.0},
    {"drop_path": -0.1}, {"num_nodes": 1}, {"operations": ()},
    {"input_shape": (8, 8)}, {"input_shape": (1, 1, 1)}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        CellCNN(**{**TINY, **wrong})
