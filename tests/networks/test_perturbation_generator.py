"""Generators of perturbations have the shapes and the parts they should."""

import keras
import numpy as np
import pytest

from bdlzoo.networks import PerturbationGenerator


def _count(network):
    return sum(w.shape.num_elements() for w in network.trainable_variables)


def test_published_generator_has_its_weights():
    """Three blocks, 256 to 512 to 512 to 256; norms have two weights a filter."""
    found = _count(PerturbationGenerator((32, 32, 9), 6, width=256))
    convs = 9 * (9 * 256 + 256 * 512 + 3 * 512 * 512 + 512 * 256 + 256 * 256 + 256 * 6)
    around = 256 * 512 + 512 * 256
    norms = 2 * (256 + 5 * 512 + 3 * 256)
    assert found == convs + around + norms


@pytest.mark.parametrize("stride", [1, 2])
def test_images_keep_their_size(stride):
    network = PerturbationGenerator((8, 12, 3), 2, width=2, stride=stride)
    assert network.output_shape == (None, 8, 12, 2)
    assert not any(getattr(layer, "use_bias", False) for layer in network.layers)


def test_noise_is_one_more_channel():
    network = PerturbationGenerator((4, 4, 3), 1, latent=5, width=2)
    assert [tuple(i.shape) for i in network.inputs] == [(None, 4, 4, 3), (None, 5)]
    first = next(layer for layer in network.layers
                 if isinstance(layer, keras.layers.Conv2D))
    assert first.kernel.shape == (3, 3, 4, 2)
    image, codes = np.ones((2, 4, 4, 3), "f"), np.array([[-1.0] * 5, [1.0] * 5], "f")
    one, other = network([image, codes]).numpy()
    assert not np.allclose(one, other, rtol=1e-6, atol=0)


def test_a_stride_that_does_not_divide_is_refused():
    with pytest.raises(ValueError, match="stride=3"):
        PerturbationGenerator((8, 8, 3), 1, stride=3)
