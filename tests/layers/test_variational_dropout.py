"""Variational dropout: rates by weight, and what can be pruned."""

import numpy as np
import pytest

from bdlzoo import layers
from tests.layers.variational_cases import draw, inputs_of, make


def _layer():
    layer = make("DenseVariationalDropout")
    kernel = np.ones(layer.kernel.shape, "float32")
    kernel[0], kernel[1] = 0.01, 0.1
    layer.kernel.assign(kernel)
    layer.set_kernel_scale(0.2)
    return layer


def test_log_alpha_is_noise_relative_to_the_weight():
    log_alpha = _layer().log_alpha().numpy()
    np.testing.assert_allclose(log_alpha[0], np.log(0.04 / 1e-4), rtol=1e-4)
    np.testing.assert_allclose(log_alpha[2], np.log(0.04), rtol=1e-4)


def test_pruned_weights_are_those_lost_in_noise():
    layer, x = _layer(), inputs_of("Dense")
    assert layer.sparsity() == pytest.approx(1 / 5)  # The first of five rows.
    layer.prune()
    assert not layer.kernel.numpy()[0].any()
    assert layer.kernel.numpy()[1:].all()
    x = x * [1, 0, 0, 0, 0]  # Only the pruned input speaks.
    np.testing.assert_allclose(draw(layer, x.astype("float32"))[0],
                               np.broadcast_to(layer.bias, (3, 4)), atol=1e-6)


def test_another_prior_is_refused():
    with pytest.raises(ValueError, match="log-uniform prior.*NormalPrior"):
        layers.DenseVariationalDropout(3, prior="NormalPrior")
