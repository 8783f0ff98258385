"""The certificate: who sees which rows, and that it holds on the digits."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.evaluation import pac_bayes
from bdlzoo.methods import Deterministic, PACBayes
from tools.reproduce import certified_risk


def _run(**options):
    return certified_risk.run(**{**dict(
        name="digits", hidden=(64,), prior_epochs=20, epochs=2, batch_size=64,
        prior_rate=5e-3, num_draws=5, num_samples=8), **options})


@pytest.mark.slow
def test_digits_are_certified():
    found = _run()
    assert found["test_error"] <= found["certified_risk"] < 0.25
    assert found["risk_mc"] < found["risk_upper"] < found["certified_risk"]
    assert found["certified_risk"] < found["mcallester"]
    assert found["num_data"] == 719 and found["num_draws"] == 5 * 719
    assert found["delta"] + found["delta_mc"] == 0.05
    assert abs(found["mean_error"] - found["test_error"]) < 0.05
    assert all(isinstance(value, float) for value in found.values())


def test_certificate_never_sees_a_row_of_the_prior(monkeypatch):
    """Rows carry their number in the first pixel."""
    seen = {}
    load = data.load

    def numbered(name, split, **options):
        x, y = load(name, split, **options)
        x = x.copy()
        x[:, 0, 0, 0] = np.arange(len(x)) / 1e4
        return data.Split(x, y)

    def spy(owner, name, label):
        original = getattr(owner, name)

        def called(self, x, *args, **kwargs):
            seen[label] = set(np.round(x[:, 0, 0, 0] * 1e4).astype(int))
            return original(self, x, *args, **kwargs)

        monkeypatch.setattr(owner, name, called)

    monkeypatch.setattr(certified_risk.data, "load", numbered)
    spy(Deterministic, "fit", "prior")
    spy(PACBayes, "fit", "posterior")
    spy(pac_bayes, "certificate", "certificate")
    _run(prior_share=0.6, prior_epochs=1, epochs=1)
    assert len(seen["prior"]) == 863 and len(seen["certificate"]) == 575
    assert not seen["prior"] & seen["certificate"]
    assert seen["posterior"] == seen["certificate"]


@pytest.mark.slow
def test_posterior_starts_at_the_prior_that_it_was_given():
    """Without training it costs nothing, and is the network with noise."""
    found = _run(epochs=1, rate=0.0, prior_scale=1e-4)
    assert found["kl"] < 1e-3
    assert abs(found["test_error"] - found["prior_error"]) < 1e-3
