"""Weights & Biases keeps settings, scalars and figures, in the runs of the user."""

import sys

import pytest

from bdlzoo.reports import WandbTracker, canvas


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match="pip install wandb"):
        WandbTracker()


@pytest.mark.slow
def test_offline_run_holds_what_was_written(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_SILENT", "true")
    tracker = WandbTracker(mode="offline", dir=str(tmp_path), project="a")
    tracker.begin({"method": "MCDropout"})
    run = wandb.run
    for epoch, loss in enumerate((0.5, 0.25)):
        tracker.scalars({"loss": loss}, epoch)
    tracker.figure("reliability", canvas.figure(2, 1), 1)
    assert run.config["method"] == "MCDropout"
    assert run.summary["loss"] == 0.25 and run.summary["epoch"] == 1
    tracker.end()
    assert wandb.run is None
    assert len(list(tmp_path.rglob("*.wandb"))) == 1
    assert list(tmp_path.rglob("media/images/reliability*.png"))
    with wandb.init(mode="offline", dir=str(tmp_path), project="a") as own:
        tracker.begin({})
        tracker.end()
        assert wandb.run is own  # The run of the user stays open.
