"""The toy of concrete dropout, small: data, rates, and what more data do."""

import numpy as np
import pytest

from tools.reproduce import concrete_dropout_toy as toy


def test_line_is_the_one_of_the_paper():
    x, y = toy.line(20_000, seed=3)
    slope, offset = np.polyfit(x[:, 0], y[:, 0], 1)
    assert x.shape == y.shape == (20_000, 1)
    assert abs(x.mean()) < 0.03 and abs(x.std() - 1) < 0.03
    assert slope == pytest.approx(2, abs=0.03)
    assert offset == pytest.approx(8, abs=0.03)
    assert np.std(y - 2 * x - 8) == pytest.approx(1, abs=0.03)


def test_every_dense_layer_has_dropout_of_its_own_before_it():
    network = toy._network(8)
    kinds = [type(layer).__name__ for layer in network.layers]
    assert kinds.count("ConcreteDropout") == kinds.count("Dense") == 5


@pytest.mark.slow
def test_more_data_mean_smaller_rates_and_less_model_uncertainty():
    few, many = (toy.run(0, num_data, num_steps=256, learning_rate=0.02, width=32,
                         num_test=50) for num_data in (10, 1000))
    assert set(few) == {"rate_input", "rate_hidden", "epistemic_std",
                        "aleatoric_std"}
    assert few["rate_hidden"] > 0.4 and many["rate_hidden"] < 0.15
    assert few["rate_input"] < 0.2  # A line cannot do without its only input.
    assert few["epistemic_std"] > many["epistemic_std"] > 0
    assert 0.5 < many["aleatoric_std"] < 2.0
