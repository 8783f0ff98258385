"""Few labels: the experiment on bundled digits."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import consistency

SMALL = dict(name="digits", num_steps=6, ramp_steps=2, batch_size=32, filters=(4, 4),
             hidden=8)


def test_scores_of_a_line():
    scores = consistency.run(0, "teacher", outside="digits", num_labels=20, **SMALL)
    assert set(scores) == {"error", "ece", "auroc", "draws_error", "draws_ece",
                           "draws_auroc"}
    # The outside set is the test set itself.
    assert scores["auroc"] == pytest.approx(0.5)
    assert set(consistency.TABLE.metrics) <= set(scores)


def test_draws_are_those_of_the_trained_student():
    model = consistency.trained(0, "teacher", num_labels=20, **SMALL)
    draws = consistency.by_draws(model, 4)
    for a, b in zip(draws.network.get_weights(), model.network.get_weights()):
        np.testing.assert_array_equal(a, b)
    x = data.load("digits", "test").x[:8]
    assert float(np.max(draws.predict_uncertainty(x).mutual_information)) > 0
