"""Tests of the over-trained network, on the bundled digits."""

import numpy as np
import pytest

from bdlzoo.methods import Deterministic
from tools.reproduce import fashion_calibration


@pytest.fixture(scope="module")
def seen():
    """Scores, and the rows that each calibration was given."""
    rows, calibrate = {}, Deterministic.calibrate

    def watched(self, x, y, method, *args, **kwargs):
        rows.setdefault(method, x)  # The first: others are halves of the test set.
        return calibrate(self, x, y, method, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Deterministic, "calibrate", watched)
        return rows, fashion_calibration.run(
            name="digits", epochs=3, kernel_size=2, hidden=16, held_out=300,
            num_splits=4)


@pytest.fixture(scope="module")
def scores(seen):
    return seen[1]


@pytest.mark.slow
def test_sets_stand_on_rows_that_repaired_nothing(seen):
    rows, _ = seen
    assert rows.keys() == {"temperature", "vector", "isotonic", "lac", "aps", "raps"}
    repairing = {x.tobytes() for x in rows["temperature"]}
    assert len(repairing) == 300
    assert not repairing & {x.tobytes() for x in rows["lac"]}


@pytest.mark.slow
def test_temperature_changes_no_label(scores):
    assert scores["accuracy_change"] == 0
    assert scores["accuracy"] == scores["accuracy_temperature"]
    assert scores["ece_ratio"] == scores["ece"] / scores["ece_temperature"]
    assert scores["nll_temperature"] <= scores["nll"] + 0.02


@pytest.mark.slow
def test_served_sets_cover_as_the_model_does(scores):
    for method in ("lac", "aps", "raps"):
        assert scores[f"served_{method}"] == scores[f"coverage_{method}"]
        # 300 rows calibrate and 359 test: a spread of about 2.4 points.
        assert abs(scores[f"coverage_{method}"] - 0.9) < 0.08
        assert abs(scores[f"split_{method}"] - 0.9) < 0.06
        assert scores[f"size_{method}"] >= scores[f"coverage_{method}"]


def test_coverage_counts_true_classes_in_their_sets():
    sets = np.array([[True, False], [True, True], [False, False], [True, False]])
    assert fashion_calibration._coverage(sets, np.array([0, 1, 0, 1])) == 0.5
