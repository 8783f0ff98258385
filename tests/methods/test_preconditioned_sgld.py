"""Preconditioned SGLD."""

import keras
import numpy as np
import pytest

from bdlzoo.methods import PreconditionedSGLD
from tests.families import quadratic

SIZE = 2000


def _model(rate, size=SIZE, **kwargs):
    options = dict(burn_in=60, thinning=10, num_kept=100, prior_scale=None, seed=0)
    model = PreconditionedSGLD(quadratic.network(size), "gaussian",
                               **{**options, **kwargs})
    model.compile(keras.optimizers.SGD(rate), metrics=[])
    model.build((None, 1))
    return model


def test_a_fixed_preconditioner_keeps_the_stationary_law():
    """T7.5: each weight is at SGLD's variance for its own step, G h."""
    model = _model(0.05, decay=1.0, bias=1e-6)
    scales = np.repeat([0.2, 1.0], SIZE // 2)
    model.moments[0].assign(np.reshape(scales**-2.0, (1, 1, SIZE)))
    model.fit(quadratic.forever(SIZE), steps_per_epoch=600, num_data=1, verbose=0)
    samples = model.kept_samples()
    for scale in (0.2, 1.0):
        step = 2 * 0.05 * scale
        np.testing.assert_allclose(
            np.mean(np.square(samples[..., scales == scale])),
            1 / (4 * (1 - step * 4 / 4)), rtol=0.03)


def test_moments_are_those_of_the_mean_losses_gradient():
    model = _model(0.0, size=3, decay=0.9, bias=0.1)
    weights = model.network.parts()[0].numpy()
    model.fit(*quadratic.rows(3, count=8), batch_size=8, epochs=1, verbose=0)
    np.testing.assert_allclose(model.moments[0], 0.9 + 0.1 * (4 * weights) ** 2,
                               rtol=1e-5)


def test_a_step_is_scaled_by_its_preconditioner():
    model = _model(0.05, size=3, temperature=0.0, decay=0.9, bias=0.1)
    weights = model.network.parts()[0].numpy()
    model.fit(*quadratic.rows(3), epochs=1, verbose=0)
    scale = 1 / (0.1 + np.sqrt(0.9 + 0.1 * (4 * weights) ** 2))
    np.testing.assert_allclose(model.network.parts()[0],
                               weights - 0.05 * scale * 4 * weights, rtol=1e-5)


@pytest.mark.parametrize("options, words", [(dict(decay=1.1), "decay=1.1"),
                                            (dict(bias=0.0), "bias=0.0")])
def test_what_is_no_preconditioner_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        PreconditionedSGLD(quadratic.network(1), "gaussian", **options)
    model = PreconditionedSGLD(quadratic.network(1), "gaussian")
    with pytest.raises(ValueError, match="momentum=0.9"):
        model.compile(keras.optimizers.SGD(0.1, momentum=0.9))
