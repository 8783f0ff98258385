"""What a teacher says of the target."""

import numpy as np

from tests.families.domains import pair


def test_labels_and_confidence_are_those_of_the_teacher():
    teacher = np.log([[0.7, 0.2, 0.1], [0.05, 0.9, 0.05]])
    found = pair(np.zeros((1, 3)), [0], np.zeros((2, 3)), teacher)
    np.testing.assert_array_equal(found.pseudo_labels, [0, 1])
    np.testing.assert_allclose(found.confidence, [0.7, 0.9], rtol=1e-6)
