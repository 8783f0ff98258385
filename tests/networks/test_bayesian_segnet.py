"""Bayesian SegNet: sizes of its parts, any sides, places of dropout."""

import keras
import numpy as np
import pytest

from bdlzoo.layers import MaxUnpooling
from bdlzoo.networks import BayesianSegNet


def test_weights_are_those_of_its_convolutions():
    network = BayesianSegNet((8, 12, 3), outputs=5, filters=(4, 6))
    pairs = [(3, 4), (4, 4), (4, 6), (6, 6), (6, 6), (6, 4), (4, 4), (4, 4)]
    expected = sum(9 * a * b + 2 * b for a, b in pairs) + 4 * 5 + 5
    assert sum(w.numpy().size for w in network.trainable_variables) == expected


def test_any_sides_and_dropout_in_the_inner_half(tmp_path):
    network = BayesianSegNet((17, 19, 3), outputs=4, filters=(2, 2, 2, 2))
    assert network.output_shape == (None, 17, 19, 4)
    drops = [layer.output.shape[1] for layer in network.layers
             if isinstance(layer, keras.layers.Dropout)]
    assert sorted(drops) == [2, 3, 3, 5]  # After two poolings, before two others.
    network.save(tmp_path / "network.keras")
    x = np.random.default_rng(0).normal(size=(1, 17, 19, 3)).astype("float32")
    np.testing.assert_array_equal(
        network(x), keras.saving.load_model(tmp_path / "network.keras")(x))


def test_nothing_but_the_places_of_maxima_goes_across():
    network = BayesianSegNet((8, 8, 3), outputs=2, filters=(2, 2), dropout=0.0)
    across = [layer for layer in network.layers if isinstance(layer, MaxUnpooling)]
    assert [layer.output.shape[1:3] for layer in across] == [(4, 4), (8, 8)]
    assert not any(isinstance(layer, keras.layers.Concatenate)
                   for layer in network.layers)


@pytest.mark.parametrize("wrong", [{"filters": ()}, {"dropout_at": "x"},
                                   {"input_shape": (3, 8, 3)}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        BayesianSegNet(**{"input_shape": (8, 8, 3), "outputs": 3, "filters": (2, 2),
                          **wrong})
