"""Augmentations from specs, with noise of the zoo."""

import keras
import numpy as np
import pytest

from bdlzoo.core import noise
from bdlzoo.families import augmented_inputs
from bdlzoo.surgery import random_layers

NETWORK = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Flatten()])


def test_specs_become_layers():
    assert augmented_inputs.augmentation(None) is None
    several = augmented_inputs.augmentation(
        ["RandomFlip", {"type": "RandomBrightness", "factor": 0.2}])
    assert [type(layer).__name__ for layer in several.layers] == [
        "RandomFlip", "RandomBrightness"]
    with pytest.raises(ValueError, match="a layer or model of Keras"):
        augmented_inputs.augmentation(0.5)


def test_noise_is_that_of_the_key():
    layer = augmented_inputs.augmentation(
        {"type": "RandomBrightness", "factor": 0.5, "value_range": (0.0, 1.0)})
    augmented_inputs.build(layer, NETWORK, (None, 4, 4, 1))
    x = np.full((3, 4, 4, 1), 0.5, "float32")
    first, again, other = (random_layers.changed(layer, x, noise.key(seed))
                           for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other) and not np.array_equal(first, x)


def test_other_shapes_are_refused():
    with pytest.raises(ValueError, match="keeps the shape of inputs"):
        augmented_inputs.build(keras.layers.Flatten(), NETWORK, (None, 4, 4, 1))
    augmented_inputs.build(None, NETWORK, (None, 4, 4, 1))
