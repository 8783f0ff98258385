"""Files of TensorBoard hold what was written, in its order."""

import sys

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.reports import TensorBoardTracker, canvas


def test_events_hold_scalars_figures_and_settings(tmp_path):
    tracker = TensorBoardTracker(tmp_path)
    tracker.begin({"method": "MCDropout"})
    for epoch, loss in enumerate((0.5, 0.25)):
        tracker.scalars({"loss": loss}, epoch)
    tracker.figure("reliability", canvas.figure(2, 1), 1)
    tracker.end()
    [path] = tmp_path.glob("events*")
    events = [event for record in tf.data.TFRecordDataset(str(path)) for event in [
        tf.compat.v1.Event.FromString(record.numpy())] if event.summary.value]
    values = [(event.step, event.summary.value[0]) for event in events]
    assert [(step, value.tag) for step, value in values] == [
        (0, "settings"), (0, "loss"), (1, "loss"), (1, "reliability")]
    assert [float(tf.make_ndarray(value.tensor)) for _, value in values[1:3]] == [
        0.5, 0.25]
    width, height, png = tf.make_ndarray(values[3][1].tensor)
    assert (int(width), int(height)) == (200, 100)
    assert np.asarray(tf.io.decode_png(png)).shape == (100, 200, 3)


def test_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ImportError, match=r"bdlzoo\[tensorboard\]"):
        TensorBoardTracker(tmp_path)
