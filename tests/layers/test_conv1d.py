"""Convolutions of signals take the arguments of Keras, in its order."""

import numpy as np
import pytest

from tests.layers.variational_cases import TECHNIQUES, beside_keras, inputs_of


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("arguments", [(2, 2), (
    4, 3, 1, "causal", "channels_last", 2, 1, "tanh", False)])
def test_mean_is_the_convolution_of_keras(technique, arguments):
    name = "Conv1D" + technique
    found, expected = beside_keras(name, inputs_of(name), *arguments)
    np.testing.assert_allclose(found, expected, atol=1e-6)
