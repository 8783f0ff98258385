"""What is published was tried, and has all that servers look for."""

import types

import numpy as np
import pytest

from bdlzoo.serving import publish as module
from bdlzoo.serving.publish import publish
from bdlzoo.serving.serving_error import ServingError
from tests.model.test_saved_model import write

SUMS = types.SimpleNamespace(
    num_samples=4, export=lambda path, finish: write(path, finish))


def test_publication_is_whole(published):
    found = published.publication
    assert found.path == published.folder / "1" and found.warm_up
    assert sorted(p.name for p in published.folder.iterdir()) == [
        "1", "batching.config", "models.config"]
    assert found.size == sum(p.stat().st_size for p in found.path.rglob("*")
                             if p.is_file())
    assert set(found.latency) == {1, 2}
    assert all(0 < taken < 5000 for taken in found.latency.values())


def test_model_that_cannot_answer_is_not_published(tmp_path):
    with pytest.raises(ServingError, match="shape"):
        publish(SUMS, tmp_path, rows={"inputs": np.ones((2, 5), "float32")})
    assert not any(tmp_path.iterdir())


def test_without_protocol_buffers_there_is_no_warm_up(tmp_path, monkeypatch):
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    found = publish(SUMS, tmp_path)
    assert not found.warm_up and set(found.latency) == {1, 32}
    assert [p.name for p in tmp_path.iterdir()] == ["1"]
    assert not (found.path / "assets.extra").exists()
