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


def test_curves_have_the_noise_of_most_scenes_and_the_scenes_without_noise():
    rows = [{"changes": row.changes, "scores": [
        dict(aleatoric=place, epistemic=10 + place, true_entropy=20 + place)]}
            for place, row in enumerate(scenes.TABLES[1].rows)]
    found = scenes.curves(rows)
    assert found["aleatoric"] == {0.0: [0], 0.1: [1], 0.2: [2]}
    assert found["true_entropy"] == {0.0: [20], 0.1: [21], 0.2: [22]}
    assert found["epistemic"] == {512: [10], 32: [13], 128: [14]}
