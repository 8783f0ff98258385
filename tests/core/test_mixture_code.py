"""Codes of a mixture."""

import numpy as np

from bdlzoo.core.mixture_code import MixtureCode


def test_label_and_entropy_are_those_of_the_probabilities():
    probs = np.array([[0.5, 0.5, 0.0], [0.0, 0.1, 0.9]], "float32")
    code = MixtureCode(probs, np.zeros((2, 3, 4)), np.ones((2, 3, 4)))
    np.testing.assert_array_equal(code.label, [0, 2])
    np.testing.assert_allclose(
        code.entropy, [np.log(2.0), -0.1 * np.log(0.1) - 0.9 * np.log(0.9)], rtol=1e-6)
