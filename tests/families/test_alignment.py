"""Numbers and schedules as weights of terms."""

import keras

from bdlzoo import SigmoidRise
from bdlzoo.families.alignment import Alignment, scheduled, value_at


def test_schedules_come_as_numbers_specs_or_saved_configs():
    rise = SigmoidRise(100)
    saved = keras.saving.serialize_keras_object(rise)
    for given in (rise, {"type": "SigmoidRise", "length": 100}, saved):
        assert float(value_at(scheduled(given), 50)) == float(rise(50))
    assert value_at(scheduled(0.5), 50) == 0.5


def test_an_alignment_has_no_further_steps_by_default():
    assert Alignment().further_steps(None, (), None) == {}
