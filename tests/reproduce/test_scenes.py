"""The experiment of scenes, at toy size."""

import numpy as np
import pytest

from tools.reproduce import scenes

TINY = dict(num_train=16, num_test=8, size=(22, 26), steps=3, num_samples=3)


@pytest.mark.parametrize("method", ["both", pytest.param(
    "deterministic", marks=pytest.mark.slow), pytest.param(
        "dbsn", marks=pytest.mark.slow)])
def test_each_method_gives_all_scores(method):
    options = dict(cells=dict(stages=(1,), num_nodes=2, growth=2, stem=4)) if (
        method == "dbsn") else dict(filters=(4, 6))
    found = scenes.run(method=method, label_noise=0.1, **TINY, **options)
    assert {metric for table in scenes.TABLES for metric in table.metrics} <= set(found)
    assert np.isfinite([found[metric] for metric in scenes.TABLES[0].metrics
                        if "region" not in metric]).all()
    assert (found["epistemic"] > 1e-7) == (method != "deterministic")
    if method == "deterministic":
        assert found["auroc_epistemic"] == pytest.approx(0.5, abs=0.2)


def test_rows_name_methods_that_there_are():
    for table in scenes.TABLES:
        assert {row.changes["method"] for row in table.rows} <= {
            *scenes.UNETS, *scenes.CELLS}
    with pytest.raises(ValueError, match="method='other'"):
        scenes.build("other", (8, 8, 3), 4, 1)
