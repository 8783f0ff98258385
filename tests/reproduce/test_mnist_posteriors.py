"""Posteriors of the perceptron, on the digits."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import mnist_posteriors

SMALL = dict(name="digits", hidden=(16,), steps=840, jit_compile=False,
             num_samples=10, num_kept=15,
             gan_steps=100, width=8)
TEST = data.load("digits", "test", validation=0)


@pytest.mark.parametrize("method", ["sgd", "sgld"])
def test_a_method_learns_the_digits(method):
    found = mnist_posteriors.run(0, method, **SMALL)
    assert found["accuracy"] > 0.8
    model = mnist_posteriors.trained(0, method, **SMALL)
    mean = model.predict(TEST.x, verbose=0)
    assert found["accuracy"] == pytest.approx(np.mean(mean.argmax(1) == TEST.y))


@pytest.mark.slow
def test_the_generator_learns_from_the_samples_of_the_same_chain():
    sampler = mnist_posteriors.trained(0, "sgld", **SMALL)
    model = mnist_posteriors.trained(0, "apd", **SMALL)
    np.testing.assert_allclose(model.gan.center, sampler.kept_samples().mean((0, 1)),
                               atol=1e-5)
    assert int(model.num_learnt) == 100
    alone = mnist_posteriors.generated_accuracy(sampler, TEST, 5)
    each = np.argmax(sampler.sample_outputs(TEST.x, 5), -1) == TEST.y
    assert alone == pytest.approx(each.mean())


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="method='vi'"):
        mnist_posteriors.run(0, "vi")
