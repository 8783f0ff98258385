"""Tests of the report as files."""

import numpy as np
import pytest

from bdlzoo.core.interval import Interval
from bdlzoo.core.regression_prediction import RegressionPrediction
from bdlzoo.evaluation.evaluation import Evaluation
from bdlzoo.reports.write_report import write_report


def _evaluation():
    x = np.linspace(0, 1, 20, dtype="float32")[:, None]
    prediction = RegressionPrediction(x[None], np.ones([1, 20, 1], "float32"))
    return Evaluation("line", x, x, prediction, {"rmse": Interval(0.1, 0.05, 0.2)})


def test_page_and_pictures_are_written_and_no_parts_are_left(tmp_path):
    page = write_report([_evaluation()], tmp_path / "new", title="A line")
    assert page.read_text().count("A line") >= 1
    files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")
                   if p.is_file())
    assert files == ["new/plots/calibration.png", "new/report.html"]


def test_nothing_is_written_where_there_is_nothing_to_say(tmp_path):
    with pytest.raises(ValueError, match="at least one"):
        write_report([], tmp_path / "new")
    assert not (tmp_path / "new").exists()
