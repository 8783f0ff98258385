"""A trace of training steps: written where it was asked for, and never twice."""

import importlib.util

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.programs import step_trace


@pytest.fixture(scope="module")
def model():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def _fit(model, trace, batches):
    model.fit(np.ones((batches, 2)), np.ones(batches), batch_size=1, verbose=0,
              callbacks=[trace])


def test_calls_after_the_first_are_traced(model, tmp_path, monkeypatch):
    calls = []
    profiler = tf.profiler.experimental
    for name in ("start", "stop"):
        original = getattr(profiler, name)
        monkeypatch.setattr(profiler, name, lambda *a, name=name, original=original: (
            calls.append((name, int(model.optimizer.iterations))), original(*a))[1])
    begin = int(model.optimizer.iterations)
    _fit(model, step_trace.StepTrace(tmp_path / "profile", first=2, count=3), 8)
    assert calls == [("start", begin + 2), ("stop", begin + 5)]
    assert list((tmp_path / "profile").rglob("*.xplane.pb"))


def test_trace_ends_with_training(model, tmp_path):
    _fit(model, step_trace.StepTrace(tmp_path, first=1, count=100), 3)
    assert list(tmp_path.rglob("*.xplane.pb"))
    with pytest.raises(tf.errors.UnavailableError):
        tf.profiler.experimental.stop()  # None is running.


def test_training_of_few_calls_is_no_failure(model, tmp_path, caplog):
    _fit(model, step_trace.StepTrace(tmp_path, first=2, count=1), 2)
    assert not list(tmp_path.rglob("*.xplane.pb"))
    assert "No trace" in caplog.text


def test_profiler_that_is_in_use_is_named(model, tmp_path):
    tf.profiler.experimental.start(str(tmp_path))
    try:
        with pytest.raises(ValueError, match="Expected a profiler that is not in use"):
            _fit(model, step_trace.StepTrace(tmp_path, first=0), 1)
    finally:
        tf.profiler.experimental.stop(save=False)


def test_missing_plugin_is_named_with_what_to_install(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"install `bdlzoo\[profile\]`"):
        step_trace.check()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "xprof")
    step_trace.check()
