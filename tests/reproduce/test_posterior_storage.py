"""What storage buys, on the digits."""

import numpy as np
import pytest

from tools.reproduce import mnist_posteriors, posterior_storage

SMALL = dict(name="digits", hidden=(16,), steps=840, jit_compile=False,
             num_samples=10, num_kept=15,
             gan_steps=50)
SIZE = 65 * 16 + 17 * 10


@pytest.mark.parametrize("kind, size, numbers, samples", [
    ("samples", 5, 5 * SIZE, 5), ("mixture", 2, 2 * 2 * SIZE, 15),
    pytest.param("generator", 4, (32 + 1) * 4 + 2 * 5 * 4 + 5 * SIZE + 2 * SIZE, 15,
                 marks=pytest.mark.slow)])
def test_numbers_are_counted_and_the_samples_behind_them_said(
        kind, size, numbers, samples):
    found = posterior_storage.run(0, kind, size, **SMALL)
    assert found["parameters"] == numbers and found["samples"] == samples
    assert found["megabytes"] == pytest.approx(4e-6 * numbers)
    assert kind == "generator" or found["accuracy"] > 0.8


def test_given_vectors_are_what_predicts():
    sampler = mnist_posteriors.trained(0, "sgld", **SMALL)
    vectors = sampler.kept_samples()[:, 0]
    model = posterior_storage.holder(sampler, vectors, 3)
    np.testing.assert_array_equal(model.kept_samples()[:, 0], vectors[[0, 7, 14]])


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind='zip'"):
        posterior_storage.run(0, "zip", **SMALL)
