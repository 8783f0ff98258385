"""A mixture of Gaussians over weights."""

import numpy as np
import pytest

from tools.reproduce.weight_mixture import WeightMixture

RNG = np.random.default_rng(0)
MODES = np.array([[0.0, 5.0, 1.0], [4.0, -5.0, 1.0]])
SCALES = np.array([[0.1, 1.0, 0.5], [1.0, 0.2, 0.5]])


def test_components_and_what_they_generate_are_those_of_the_samples():
    which = np.repeat([0, 1], [1500, 500])
    samples = MODES[which] + SCALES[which] * RNG.normal(size=(2000, 3))
    mixture = WeightMixture(samples, 2)
    order = np.argsort(mixture.means[:, 0])
    np.testing.assert_allclose(mixture.shares[order], [0.75, 0.25], atol=1e-3)
    np.testing.assert_allclose(mixture.means[order], MODES, atol=0.15)
    np.testing.assert_allclose(mixture.scales[order], SCALES, rtol=0.1)
    assert mixture.num_parameters() == 2 * 2 * 3
    found = mixture.generate(4000, seed=1)
    first = found[:, 1] > 0
    np.testing.assert_allclose(first.mean(), 0.75, atol=0.03)
    np.testing.assert_allclose(found[first].std(0), SCALES[0], rtol=0.1)
    np.testing.assert_array_equal(mixture.generate(4000, seed=1), found)


def test_the_parameters_of_the_paper():
    mixture = WeightMixture(RNG.normal(size=(3, 100)), 3)
    assert mixture.num_parameters() / 100 * 79_510 / 3 * 60 == 9_541_200


@pytest.mark.parametrize("count", [0, 4])
def test_more_components_than_samples_are_refused(count):
    with pytest.raises(ValueError, match=f"num_components={count}"):
        WeightMixture(np.zeros((3, 2)), count)
