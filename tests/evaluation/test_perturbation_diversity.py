"""Distances of pairs, by hand; restarts are differences to the input."""

import numpy as np
import pytest

from bdlzoo.evaluation.perturbation_diversity import diversity, restarts


def test_mean_distance_of_all_pairs():
    samples = np.array([[[0.0, 0.0], [1.0, 1.0]], [[3.0, 4.0], [1.0, 1.0]],
                        [[0.0, 8.0], [1.0, 1.0]]])  # [S=3, B=2, D=2]
    np.testing.assert_allclose(diversity(samples), [(5 + 8 + 5) / 3, 0.0])


def test_pixels_are_one_vector_and_a_common_shift_is_no_spread():
    samples = np.random.default_rng(0).normal(size=(4, 3, 2, 2, 1))
    flat = samples.reshape(4, 3, 4)
    expected = [np.mean([np.linalg.norm(flat[i, b] - flat[j, b])
                         for i in range(4) for j in range(i)]) for b in range(3)]
    np.testing.assert_allclose(diversity(samples + 100.0), expected)


def test_restarts_have_seeds_of_their_own():
    x = np.full((2, 3), 0.5)

    def attack(model, x, y, seed):
        return x + 0.1 * seed[1] + seed[0]

    found = restarts(attack, None, x, None, 3, seed=7)
    np.testing.assert_allclose(found[:, 0, 0], [7.0, 7.1, 7.2])
    assert found.shape == (3, 2, 3)


@pytest.mark.parametrize("shape", [(1, 2, 3), (4, 3)])
def test_one_sample_has_no_spread(shape):
    with pytest.raises(ValueError, match="samples.shape"):
        diversity(np.zeros(shape))
