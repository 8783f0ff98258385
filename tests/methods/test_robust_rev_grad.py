"""Robust RevGrad with threshold 0 is RevGrad."""

import keras
import numpy as np

from bdlzoo.methods import RevGrad, RobustRevGrad
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def _trained(kind, **options):
    keras.utils.set_random_seed(0)
    model = compiled(kind(network(), seed=0, discriminator=(4,), reversal=1.0,
                          domain_weight=1.0, **options))
    model.fit(X, Y, target=TARGET, batch_size=12, epochs=3, verbose=0)
    return weights(model)


def test_threshold_zero_is_rev_grad_and_others_are_not():
    plain, zero, half = (_trained(RevGrad), _trained(RobustRevGrad, threshold=0.0),
                         _trained(RobustRevGrad, threshold=0.45))
    for a, b in zip(plain, zero, strict=True):
        np.testing.assert_array_equal(a, b)
    assert max(np.abs(a - b).max() for a, b in zip(plain, half)) > 1e-4


def test_options_are_saved():
    model = RobustRevGrad(network(), threshold=0.3, teacher="ema", teacher_decay=0.5)
    again = RobustRevGrad.from_config(model.get_config())
    assert (again.threshold, again.teacher, again.teacher_decay) == (0.3, "ema", 0.5)
