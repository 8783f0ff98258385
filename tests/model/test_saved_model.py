"""Exports count their versions and are whole or not there."""

import pytest

from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP


def _model():
    model = MCDropout(MLP((6,), (8,), 2, dropout=0.3), seed=3)
    model.build((None, 6))
    return model


def test_versions_count_up_and_older_ones_stay(tmp_path):
    model = _model()
    assert [model.export(tmp_path).name for _ in range(3)] == ["1", "2", "3"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["1", "2", "3"]


def test_failed_export_leaves_nothing_behind(tmp_path, monkeypatch):
    model = _model()
    model.export(tmp_path)
    monkeypatch.setattr("os.rename", lambda *_: 1 / 0)  # As if killed before it.
    with pytest.raises(ZeroDivisionError):
        model.export(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["1"]
