"""Encoders of perturbations have the shapes they should."""

import keras
import pytest

from bdlzoo.networks import PerturbationEncoder


def test_published_encoder_has_its_weights():
    network = PerturbationEncoder((32, 32, 3), 128)
    count = sum(w.shape.num_elements() for w in network.trainable_variables)
    convs = 25 * 3 * 32 + 16 * (32 * 64 + 64 * 128 + 128 * 256)
    assert count == convs + 2 * (32 + 64 + 128 + 256) + 256 * 128 + 128
    sides = [layer.output.shape[1] for layer in network.layers
             if isinstance(layer, keras.layers.Conv2D)]
    assert sides == [28, 13, 10, 4]


def test_fewer_filters_leave_out_the_last_convolutions():
    network = PerturbationEncoder((8, 8, 1), 6, filters=(4, 2))
    assert network.output_shape == (None, 6)
    assert [layer.filters for layer in network.layers
            if isinstance(layer, keras.layers.Conv2D)] == [4, 2]


@pytest.mark.parametrize("shape, filters, words", [
    ((19, 19, 1), (2, 2, 2, 2), "at least 20"), ((7, 7, 1), (2, 2), "at least 8"),
    ((40, 40, 1), (2,) * 5, "at most 4")])
def test_images_that_leave_nothing_are_refused(shape, filters, words):
    with pytest.raises(ValueError, match=words):
        PerturbationEncoder(shape, 2, filters=filters)


@pytest.mark.parametrize("side, count", [(5, 1), (8, 2), (14, 3), (20, 4)])
def test_smallest_images_leave_one_pixel_at_least(side, count):
    assert PerturbationEncoder((side, side, 1), 2, (1,) * count).output_shape == (
        None, 2)
