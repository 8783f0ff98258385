"""MCD predicts by two heads, which disagree where it does not know."""

import numpy as np
import pytest

from bdlzoo.methods import MCD
from tests.families.domains import TARGET, X, Y, compiled, network


@pytest.fixture(scope="module")
def model():
    found = compiled(MCD(network(0.2), head_layers=1, seed=0))
    found.fit(X, Y, target=TARGET, batch_size=12, verbose=0)
    return found


def test_draws_are_the_heads_in_turn(model):
    draws = np.asarray(model.sample_outputs(TARGET, 5))
    first, second = model.second_head.both(model.encoder, model.encoder(TARGET))
    np.testing.assert_allclose(draws[0], model.network(TARGET), atol=1e-6)
    for place, expected in enumerate((first, second, first, second, first)):
        np.testing.assert_allclose(draws[place], expected, atol=1e-6)
    assert np.abs(draws[0] - draws[1]).max() > 1e-3
    assert model.predict_uncertainty(TARGET).mutual_information.shape == (24,)


def test_options_are_saved(model):
    again = MCD.from_config(MCD(network(), head_layers=1,
                                num_feature_steps=2).get_config())
    assert (again.num_feature_steps, again.num_samples) == (2, 2)


def test_a_network_needs_layers_before_its_head():
    with pytest.raises(ValueError, match="layers before its head.*head_layers=2"):
        compiled(MCD(network(), head_layers=2)).build((None, 4))
