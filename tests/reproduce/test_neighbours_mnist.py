"""Rows of the table of neighbours, on the digits."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.methods import Laplace
from tools.reproduce import neighbours_mnist

SMALL = dict(name="digits", outside="permuted", epochs=2, num_samples=4)


def test_laplace_is_around_the_network_of_the_first_line():
    found = neighbours_mnist.run(method="laplace", structure="diagonal", **SMALL)
    plain = neighbours_mnist.run(**SMALL)
    trained = neighbours_mnist._trained(0, "digits", 2)
    model = Laplace(trained.network, structure="diagonal", seed=0)
    model.fit(*data.load("digits", "train"), verbose=0)
    test = data.load("digits", "test")
    nll = -model.predict_uncertainty(test.x).log_prob(test.y).numpy().mean()
    np.testing.assert_allclose(found["nll"], nll, rtol=1e-5)
    assert found["nll"] != plain["nll"]


@pytest.mark.slow
def test_other_methods_are_trained_by_themselves():
    scores = [neighbours_mnist.run(method=method, **SMALL)
              for method in ("deterministic", "swag", "vbll")]
    assert len({found["nll"] for found in scores}) == 3
    assert all(0 < found["auroc"] <= 1 for found in scores)
    with pytest.raises(ValueError, match="method='swa'"):
        neighbours_mnist.run(method="swa")
