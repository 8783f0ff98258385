"""U-Net: sizes of its parts, any sides, places of dropout, other encoders."""

import keras
import numpy as np
import pytest

from bdlzoo.core import keras_internals, registry
from bdlzoo.networks import UNet, blocks

X = np.random.default_rng(0).normal(size=(2, 13, 19, 3)).astype("float32")


def _kinds(network, kind):
    return [layer for layer in network.layers if isinstance(layer, kind)]


def test_weights_are_those_of_its_convolutions():
    network = UNet((8, 12, 3), outputs=5, filters=(4, 6, 8))
    pairs = [(3, 4), (4, 4), (4, 6), (6, 6), (6, 8), (8, 8),  # Down.
             (8 + 6, 6), (6, 6), (6 + 4, 4), (4, 4)]  # Up, with the level beside.
    expected = sum(9 * a * b + 2 * b for a, b in pairs) + 4 * 5 + 5
    assert sum(w.numpy().size for w in network.trainable_variables) == expected
    assert network.output_shape == (None, 8, 12, 5)


@pytest.mark.parametrize("sides", [(13, 19), (16, 8), (5, 7)])
def test_any_sides_give_an_output_for_each_pixel(sides):
    network = UNet((*sides, 3), outputs=4, filters=(2, 2, 2))
    assert network.output_shape == (None, *sides, 4)
    changed = X[:1, :5, :7].copy()
    small = UNet((5, 7, 3), outputs=4, filters=(8, 8, 8))
    before = small(changed, training=False)
    changed[0, -1, -1] += 5.0  # The last pixel is not cut off.
    gap = np.abs(small(changed, training=False) - before)[0].sum(axis=-1)
    assert gap[-1, -1] > 0


def test_dropout_is_in_the_inner_half_of_the_levels_or_in_all():
    for place, count in (("central", 3), ("all", 7)):
        network = UNet((16, 16, 3), 4, (2, 2, 2, 2), dropout=0.5, dropout_at=place)
        sizes = [layer.output.shape[1] for layer in _kinds(network,
                                                           keras.layers.Dropout)]
        assert len(sizes) == count
        if place == "central":
            assert sorted(sizes) == [2, 4, 4]
    assert not _kinds(UNet((8, 8, 3), 4, (2, 2)), keras.layers.Dropout)
    assert blocks.central(4) == [False, False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("name, levels", [("MobileNetV2", 6), ("ResNet50", 6)])
def test_a_network_of_keras_applications_is_the_encoder(name, levels):
    network = UNet((45, 61, 3), outputs=4, filters=(4, 4, 8), dropout=0.3,
                   backbone=name)
    assert network.output_shape == (None, 45, 61, 4)
    assert len(_kinds(network, keras.layers.UpSampling2D)) == levels - 1
    assert len(keras_internals.graph(network).inputs) == 1
    image = np.random.default_rng(0).random((1, 45, 61, 3)).astype("float32")
    assert np.isfinite(network(image)).all()


def test_config_finds_it_and_a_file_keeps_it(tmp_path):
    network = registry.build({"type": "UNet", "outputs": 3, "filters": (2, 3)},
                             input_shape=(13, 19, 3))
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    np.testing.assert_array_equal(network(X), loaded(X))


@pytest.mark.parametrize("wrong, word", [
    ({"filters": (4,)}, "filters="), ({"dropout": 1.0}, "rate=1.0"),
    ({"dropout_at": "first"}, "dropout_at="), ({"outputs": 0}, "outputs="),
    ({"input_shape": (1, 8, 3)}, "input_shape="), ({"backbone": "Net"}, "backbone=")])
def test_wrong_arguments_are_named(wrong, word):
    with pytest.raises(ValueError, match=f"Received: .*{word}"):
        UNet(**{"input_shape": (8, 8, 3), "outputs": 3, "filters": (2, 2), **wrong})
