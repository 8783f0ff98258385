"""The encoder and decoder of cells has one structure, and takes any sides."""

import keras
import numpy as np
import pytest

from bdlzoo.core import registry
from bdlzoo.layers import Cell, ConcreteStructure
from bdlzoo.methods import DBSN
from bdlzoo.networks import CellUNet

TINY = dict(input_shape=(9, 14, 3), outputs=4, stages=(1,), num_nodes=2, growth=2,
            stem=4)


def test_cells_go_down_and_up_with_one_structure():
    network = CellUNet((18, 13, 3), 5, stages=(2, 1), middle=1, num_nodes=3, growth=2,
                       stem=6, reduction=0.5)
    cells = [layer for layer in network.layers if isinstance(layer, Cell)]
    # 6 + 6 + 6; half; + 6; half of 15; + 6; half, and 15 beside; ...
    assert [layer.output.shape[1:] for layer in cells] == [
        (18, 13, 12), (18, 13, 18), (9, 7, 15), (5, 4, 13), (9, 7, 27), (18, 13, 37),
        (18, 13, 43)]
    assert network.output_shape == (None, 18, 13, 5)
    structures = [layer for layer in network.layers
                  if isinstance(layer, ConcreteStructure)]
    assert len(structures) == 1 and structures[0].compute_output_shape(None) == (3, 3)


@pytest.mark.slow
def test_dbsn_learns_pixels_and_gives_a_plain_network(tmp_path):
    """And images that are not square do not end the process."""
    rng = np.random.default_rng(0)
    x = rng.random((8, 9, 14, 3)).astype("float32")
    y = rng.integers(0, 4, (8, 9, 14))
    model = DBSN(registry.build({"type": "CellUNet", **TINY}), num_samples=3, seed=0)
    model.compile()
    model.fit(x, y, batch_size=4, verbose=0)
    draws = model.sample_outputs(x)
    assert draws.shape == (3, 8, 9, 14, 4) and not np.array_equal(*draws[:2])
    found = model.predict_uncertainty(x)
    np.testing.assert_allclose(
        found.predictive_entropy, found.expected_entropy + found.mutual_information,
        atol=1e-5)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(loaded.predict(x, verbose=0),
                               model.predict(x, verbose=0), atol=1e-6)
    plain = model.extract_network()
    assert plain.output_shape == (None, 9, 14, 4)


@pytest.mark.parametrize("wrong", [
    {"stages": ()}, {"middle": 0}, {"growth": 0}, {"reduction": 1.5},
    {"dropout": 1.0}, {"num_nodes": 1}, {"operations": ()}, {"input_shape": (1, 8, 3)}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        CellUNet(**{**TINY, **wrong})
