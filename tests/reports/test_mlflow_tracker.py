"""MLflow keeps settings, scalars and figures, in the runs of the user."""

import sys

import pytest

from bdlzoo.reports import MLflowTracker, canvas


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ImportError, match="pip install mlflow"):
        MLflowTracker()


@pytest.mark.slow
@pytest.mark.parametrize("open_before", [False, True])
def test_run_holds_what_was_written(open_before, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(tmp_path.as_uri())
    mlflow.set_experiment("a")
    tracker = MLflowTracker()
    if open_before:
        mlflow.start_run()
    tracker.begin({"method": "MCDropout"})
    run = mlflow.active_run().info.run_id
    for epoch, loss in enumerate((0.5, 0.25)):
        tracker.scalars({"loss": loss}, epoch)
    tracker.figure("reliability", canvas.figure(2, 1), 1)
    tracker.end()
    assert (mlflow.active_run() is not None) == open_before
    mlflow.end_run()
    client = mlflow.MlflowClient()
    found = client.get_metric_history(run, "loss")
    assert [(entry.step, entry.value) for entry in found] == [(0, 0.5), (1, 0.25)]
    assert client.get_run(run).data.params == {"method": "MCDropout"}
    assert [entry.path for entry in client.list_artifacts(run, "reliability")] == [
        "reliability/0001.png"]
