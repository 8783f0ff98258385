"""The experiment on CamVid, at toy size, on images made up in its place."""

import numpy as np
import pytest

from bdlzoo import data
from tools.reproduce import camvid

TINY = dict(size=(12, 16), steps=2, num_samples=2)


@pytest.fixture(autouse=True)
def streets(monkeypatch):
    def load(name, split, seed, size):
        assert name == "camvid"
        rng = np.random.default_rng([seed, split == "test"])
        squares = rng.integers(0, 12, (8, size[0] // 4, size[1] // 4))
        return data.Split(rng.random((8, *size, 3)).astype("float32"), np.kron(
            squares, np.ones((1, 4, 4))).astype("int32"))  # So that some have insides.
    monkeypatch.setattr(camvid.data, "load", load)


@pytest.mark.parametrize("method", ["both", *(
    pytest.param(method, marks=pytest.mark.slow) for method in (
        "deterministic", "dropout", "aleatoric", "ensemble", "dbsn"))])
def test_each_method_gives_all_scores(method):
    options = dict(cells=dict(stages=(1,), num_nodes=2, growth=2, stem=4)) if (
        method == "dbsn") else dict(filters=(4, 6), num_members=2)
    found = camvid.run(method=method, **TINY, **options)
    assert set(camvid.TABLES[0].metrics) <= set(found)
    assert np.isfinite([found[metric] for metric in camvid.TABLES[0].metrics]).all()


def test_rows_name_methods_that_there_are():
    for table in camvid.TABLES:
        for row in table.rows:
            camvid.build(row.changes["method"], (8, 8, 3), 8, 1, filters=(2, 2),
                         num_members=2, cells=dict(stages=(1,), num_nodes=2, growth=2,
                                                   stem=4))
    with pytest.raises(ValueError, match="method='other'"):
        camvid.build("other", (8, 8, 3), 8, 1)
