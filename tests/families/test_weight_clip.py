"""The constraint that clips weights."""

import keras
import numpy as np

from bdlzoo.families.weight_clip import WeightClip


def test_numbers_end_at_the_limit_on_both_sides():
    np.testing.assert_allclose(WeightClip(0.5)(np.float32([-2.0, -0.1, 0.3, 0.7])),
                               [-0.5, -0.1, 0.3, 0.5])


def test_files_name_it_as_they_always_did():
    saved = keras.saving.serialize_keras_object(WeightClip(0.5))
    assert saved["registered_name"] == "bdlzoo>WeightClip"
    assert keras.saving.deserialize_keras_object(saved).limit == 0.5
