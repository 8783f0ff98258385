"""The evidence bound against what is known in closed form."""

import numpy as np
import pytest
from scipy import stats

from tools.reproduce import evidence_bound


def test_evidence_is_the_density_of_the_targets():
    x, y = evidence_bound.toy()
    inputs = np.float64(evidence_bound.features(x, 5, "bump"))
    law = stats.multivariate_normal(
        cov=9.0 * inputs @ inputs.T + 0.01 * np.eye(len(x)))
    found = evidence_bound.exact(inputs, y, 3.0)
    assert found["evidence"] == pytest.approx(law.logpdf(y[:, 0]), abs=1e-6)


def test_best_bound_is_that_of_the_best_factorised_posterior():
    """Its mean is exact, its precision the diagonal: nll and KL by hand."""
    x, y = evidence_bound.toy()
    inputs, targets = np.float64(evidence_bound.features(x, 4, "bump")), y[:, 0]
    precision = np.eye(4) / 4.0 + inputs.T @ inputs / 0.01
    mean = np.linalg.solve(precision, inputs.T @ targets / 0.01)
    variance = 1.0 / np.diag(precision)
    errors = (targets - inputs @ mean) ** 2 + inputs**2 @ variance
    fit = -0.5 * np.sum(errors / 0.01 + np.log(2 * np.pi * 0.01))
    kl = 0.5 * np.sum((variance + mean**2) / 4 - 1 - np.log(variance / 4))
    found = evidence_bound.exact(inputs, y, 2.0)
    assert found["best_elbo"] == pytest.approx(fit - kl, abs=1e-5)
    assert found["best_elbo"] < found["evidence"] - 1.0


def test_bound_is_the_evidence_where_features_are_orthogonal():
    x, _ = evidence_bound.toy()
    inputs = evidence_bound.features(x, 5, "cosine")
    gram = inputs.T @ inputs
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-4)
    found = evidence_bound.run(0, 5, "cosine", num_steps=480)
    assert found["best_elbo"] == pytest.approx(found["evidence"], abs=1e-6)
    # 1000 draws of about 0.5 * chi2(5) leave an error of 0.05.
    assert found["elbo"] == pytest.approx(found["evidence"], abs=0.3)


def test_bound_stays_below_the_evidence_where_features_overlap():
    found = evidence_bound.run(0, 3, "bump", num_steps=640)
    assert found["elbo"] == pytest.approx(found["best_elbo"], abs=0.3)
    assert found["elbo"] < found["evidence"] - 0.5
    assert 0 < found["kl"] < 100


@pytest.mark.slow
def test_bound_tells_a_width_that_fits_from_one_that_cannot():
    """One tanh cannot turn back, as the sine does twice."""
    narrow, wide = (evidence_bound.run(0, width, num_steps=320, num_samples=50)
                    for width in (1, 4))
    assert set(narrow) == {"elbo", "kl"}
    assert wide["elbo"] > narrow["elbo"] + 200


def test_curve_holds_the_bounds_of_seeds_and_widths(monkeypatch):
    def known(seed=0, width=8, model="network", num_steps=0):
        return {"elbo": 10.0 * seed + width, "evidence": 99.0}

    monkeypatch.setattr(evidence_bound, "run", known)
    found = evidence_bound.curve((2, 4), num_seeds=3, num_features=7)
    np.testing.assert_array_equal(found["bounds"], [[2, 4], [12, 14], [22, 24]])
    assert found["evidence"] == 99.0 and found["linear_bound"] == 7.0


def test_unknown_features_are_refused():
    with pytest.raises(ValueError, match="Received: model='power'"):
        evidence_bound.run(model="power")
