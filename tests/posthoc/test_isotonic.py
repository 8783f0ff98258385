"""Isotonic curves against scikit-learn's, and where they change nothing."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.posthoc import fit_isotonic


def _data(n, num_classes=2, power=1.0):
    """Probabilities, and labels of a law that is `power` times as sure."""
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(num_classes), n)
    logits = power * np.log(probs)
    labels = (logits + rng.gumbel(size=probs.shape)).argmax(-1)
    return ClassPrediction(np.log(probs)[None]), labels


def test_two_classes_share_the_curve_of_scikit_learn():
    prediction, labels = _data(400, power=0.4)
    curve = IsotonicRegression(y_min=0, y_max=1).fit(prediction.mean[:, 1], labels)
    expected = (400 * curve.predict(prediction.mean[:, 1])
                + prediction.mean[:, 1]) / 401
    mapped = prediction.mapped(*fit_isotonic(prediction, labels))
    np.testing.assert_allclose(mapped.mean[:, 1], expected, atol=1e-9)


def test_long_curve_is_thinned_out_and_stays_close():
    prediction, labels = _data(20_000, power=0.4)
    curve = IsotonicRegression(y_min=0, y_max=1).fit(prediction.mean[:, 1], labels)
    assert len(curve.X_thresholds_) > 64
    mapped = prediction.mapped(*fit_isotonic(prediction, labels))
    gap = np.abs(mapped.mean[:, 1] - curve.predict(prediction.mean[:, 1]))
    assert gap.mean() < 0.01


def test_curves_rise_from_0_to_1_and_lose_no_rank():
    prediction, labels = _data(500, num_classes=3, power=0.5)
    knots, values = fit_isotonic(prediction, labels)
    assert knots.shape == values.shape == (3, 64)
    assert (np.diff(knots) >= 0).all() and (np.diff(values) >= 0).all()
    np.testing.assert_array_equal(knots[:, [0, -1]], [[0.0, 1.0]] * 3)
    # Flat pieces too: no two rows in order become one.
    rows = np.linspace(0.01, 0.99, 99)
    for c in range(3):
        assert (np.diff(np.interp(rows, knots[c], values[c])) > 0).all()


def test_calibrated_predictive_hardly_moves_and_another_is_repaired():
    calibrated, labels = _data(20_000, num_classes=3)
    mapped = calibrated.mapped(*fit_isotonic(calibrated, labels))
    assert np.abs(mapped.mean - calibrated.mean).mean() < 0.01
    sure, labels = _data(20_000, num_classes=3, power=0.4)
    mapped = sure.mapped(*fit_isotonic(sure, labels))
    truth = sure.tempered(1 / 0.4).mean
    assert np.abs(mapped.mean - truth).mean() < 0.5 * np.abs(
        sure.mean - truth).mean()


def test_one_class_alone_is_refused():
    prediction, labels = _data(50)
    with pytest.raises(ValueError, match="only class 1"):
        fit_isotonic(prediction, np.ones_like(labels))
