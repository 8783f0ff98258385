"""Entropy of a discrete code."""

import numpy as np

from bdlzoo.core.discrete_code import DiscreteCode


def test_entropy_is_that_of_the_probabilities():
    probs = np.array([[[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]],
                      [[0.1, 0.2, 0.7], [1.0, 0.0, 0.0]]])
    code = DiscreteCode(np.argmax(probs, axis=-1), probs)
    expected = [np.log(2.0), -(0.1 * np.log(0.1) + 0.2 * np.log(0.2)
                               + 0.7 * np.log(0.7))]
    np.testing.assert_allclose(code.entropy, expected)
