"""Tests of DE-GP beside an ensemble on images, small, on the bundled digits."""

import pytest

from bdlzoo.methods import DEGP
from tools.reproduce import degp_fashion

SMALL = dict(name="digits", outside="permuted", num_train=320, num_test=100,
             num_members=2, filters=(4,), hidden=16, epochs=1, batch_size=32,
             num_points=4, num_samples=8)
NAMES = {"accuracy", "nll", "ece", "auroc_entropy", "auroc_mi"}


@pytest.mark.slow
@pytest.mark.parametrize("method", degp_fashion.METHODS)
def test_both_methods_give_all_scores(method):
    found = degp_fashion.run(method=method, **{**SMALL, "epochs": 8})
    assert set(found) == NAMES
    for name in NAMES - {"nll"}:
        assert 0 <= found[name] <= 1, name
    assert found["accuracy"] > 0.3 and found["nll"] > 0


@pytest.mark.slow
def test_divergence_counts_as_in_the_released_code(monkeypatch):
    """alpha KL / batch, where the model says kl_weight KL / num_data."""
    seen = []
    fit = DEGP.fit

    def watched(self, x, y, **kwargs):
        seen.append((self.kl_weight / len(x), kwargs["batch_size"]))
        return fit(self, x, y, **kwargs)

    monkeypatch.setattr(DEGP, "fit", watched)
    degp_fashion.run(alpha=0.3, **SMALL)
    [(weight, batch)] = seen
    assert weight == pytest.approx(0.3 / batch)


def test_network_is_the_one_of_the_card():
    network = degp_fashion._network((28, 28, 1), (32, 64), 256)
    kinds = [type(layer).__name__ for layer in network.layers[1:]]
    assert kinds == ["Conv2D", "MaxPooling2D"] * 2 + ["Flatten", "Dense", "Dense"]
    assert network.layers[-2].units == 256 and network.output_shape == (None, 10)


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='gp'"):
        degp_fashion.run(method="gp")
