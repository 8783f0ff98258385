"""Runs: their folder, their resume, and what they refuse untouched."""

import json

import keras
import numpy as np
import pytest

from bdlzoo import data, runs
from bdlzoo.core import strategies


def _config(**changes):
    config = runs.read_config("digits/mc_dropout.py", "smoke")
    config.update(changes)
    return config


def _files(folder):
    return {p.relative_to(folder): p.read_bytes()
            for p in folder.rglob("*") if p.is_file()}


def test_folder_tells_what_the_run_was_and_how_it_went(run):
    names = {str(p) for p in _files(run.workdir)}
    assert names >= {"config.json", "versions.json", "history.csv",
                     "metrics.json", "model.keras"}
    assert not any("part" in name for name in names)
    assert json.loads((run.workdir / "versions.json").read_text())[
        "keras"] == keras.__version__
    header, *rows = (run.workdir / "history.csv").read_text().splitlines()
    assert header.startswith("epoch,") and "val_nll" in header and len(rows) == 2
    metrics = json.loads((run.workdir / "metrics.json").read_text())
    assert {"accuracy", "nll", "ece", "brier", "temperature"} <= set(metrics)


def test_saved_model_gives_the_metrics_of_the_run(run):
    again = runs.Run.reopen(run.workdir)
    metrics = json.loads((run.workdir / "metrics.json").read_text())
    np.testing.assert_allclose(again.evaluate()["nll"], metrics["nll"], rtol=1e-5)


@pytest.mark.slow
def test_report_of_a_learnt_structure_draws_it(tmp_path):
    run = runs.Run(runs.read_config("digits/dbsn.py", "smoke"), tmp_path / "a")
    run.complete(verbose=0)
    [found] = run.findings().values()
    assert set(found) == {"from node 0 to 1", "from node 0 to 2", "from node 1 to 2"}
    run.report(shift=8)
    for name in ("structure_graph", "structure_heat_map"):
        assert (run.workdir / f"plots/{name}.png").exists()


def test_finished_run_is_left_as_it_is(run):
    before = _files(run.workdir)
    runs.Run(_config(epochs=2), run.workdir).complete(verbose=0)
    assert _files(run.workdir) == before


def test_other_config_does_not_touch_the_folder(run):
    before = _files(run.workdir)
    with pytest.raises(ValueError, match="config.epochs \\(2 there, 3 here\\)"):
        runs.Run(_config(epochs=3), run.workdir)
    assert _files(run.workdir) == before


def test_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="or that of a run"):
        runs.Run(_config(), tmp_path)
    with pytest.raises(ValueError, match="or that of a run"):
        runs.Run(_config(), tmp_path / "thesis.txt")


def test_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="can be written"):
        runs.Run(_config(), tmp_path / "file" / "run")


def test_folder_without_permission_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # Root may write anywhere.
    with pytest.raises(ValueError, match="can be written"):
        runs.Run(_config(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_report_adds_strange_inputs_and_plots(run):
    metrics = run.report(shift=20)
    assert 0 <= metrics["auroc_uniform"] <= 1 and 0 <= metrics["auroc_permuted"] <= 1
    low, high = metrics["intervals"]["accuracy"]
    assert low <= metrics["accuracy"] <= high
    assert json.loads((run.workdir / "metrics.json").read_text()) == metrics
    assert {p.name for p in (run.workdir / "plots").iterdir()} == {
        "reliability.png", "confidence.png", "histogram.png", "roc.png", "most.png",
        "least.png", "risk_coverage.png", "shift.png"}
    assert "<!doctype html>" in (run.workdir / "report.html").read_text().lower()


def test_reopening_what_is_no_run_says_so(tmp_path):
    with pytest.raises(ValueError, match="bdlzoo train"):
        runs.Run.reopen(tmp_path)


def test_damaged_model_file_is_named(run, tmp_path):
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "config.json").write_bytes((run.workdir / "config.json").read_bytes())
    whole = (run.workdir / "model.keras").read_bytes()
    (copy / "model.keras").write_bytes(whole[:len(whole) // 2])
    with pytest.raises(ValueError, match="delete the file"):
        _ = runs.Run.reopen(copy).model


def test_unfinished_run_is_not_evaluated(tmp_path):
    run = runs.Run(_config(), tmp_path / "a")
    run.record()
    with pytest.raises(ValueError, match="finished run"):
        runs.Run.reopen(tmp_path / "a").check_finished()


def test_number_of_weights_is_told_before_training(tmp_path, capsys):
    run = runs.Run(_config(epochs=2), tmp_path / "a")
    run.record()
    run.fit(verbose=2)
    first, second, *_ = capsys.readouterr().out.splitlines()
    trained = sum(w.numpy().size for w in run.model.trainable_variables)
    assert first.endswith(f": {trained:,} trainable weights") and "Epoch 1" in second


def test_bad_data_leave_no_folder(tmp_path, monkeypatch):
    real = data.load

    def broken(*args, **kwargs):
        x, y = real(*args, **kwargs)
        return data.Split(x, y + 100)

    monkeypatch.setattr(data, "load", broken)
    with pytest.raises(ValueError, match="class indices"):
        runs.Run(_config(), tmp_path / "a").complete(verbose=0)
    assert not (tmp_path / "a").exists()


def test_wrong_number_of_epochs_is_refused(tmp_path):
    with pytest.raises(ValueError, match="config.epochs=0"):
        runs.Run(_config(epochs=0), tmp_path / "a")


@pytest.mark.parametrize("name, words", [
    ("sine", {"band.png", "calibration.png"}),
    ("breast_cancer", {"reliability.png", "confidence.png", "risk_coverage.png"})])
def test_other_kinds_of_data_run_through(name, words, tmp_path):
    config = runs.read_config(f"{name}/mc_dropout.py")
    config.epochs, config.method.num_samples = 2, 4
    run = runs.Run(config, tmp_path / "a")
    run.complete(verbose=0)
    run.report()
    assert {p.name for p in (tmp_path / "a" / "plots").iterdir()} == words


def test_regression_reports_raw_units(tmp_path):
    config = runs.read_config("diabetes/mc_dropout.py")
    config.epochs, config.method.num_samples = 1, 4
    metrics = runs.Run(config, tmp_path / "a").complete(verbose=0)
    std = data.describe("diabetes").target_scale[1]
    np.testing.assert_allclose(metrics["rmse_raw"], metrics["rmse"] * std)
    np.testing.assert_allclose(metrics["nll_raw"], metrics["nll"] + np.log(std))


def test_config_names_the_metrics_and_a_saved_run_keeps_them(tmp_path):
    config = runs.read_config("diabetes/deterministic.py")
    config.epochs = 1
    with config.unlocked():
        config.metrics = (dict(type="RootMeanSquaredError", name="rmse"),
                          dict(type="R2"), dict(type="CWCE"), dict(type="EPIW"),
                          dict(type="RCWCE"))
    metrics = runs.Run(config, tmp_path / "a").complete(verbose=0)
    std = data.describe("diabetes").target_scale[1]
    np.testing.assert_allclose(metrics["epiw_raw"], metrics["epiw"] * std)
    np.testing.assert_allclose(
        metrics["r_cwce"], (1 - metrics["r2"]) * metrics["cwce"], rtol=1e-4)
    again = runs.Run.reopen(tmp_path / "a").evaluate()
    np.testing.assert_allclose(again["cwce"], metrics["cwce"], rtol=1e-5)


@pytest.mark.slow
def test_run_on_replicas_is_the_run_on_one_device(tmp_path):
    """13 rows of the last batch, calibration and scores included."""
    config = runs.read_config("digits/deterministic.py", "smoke")
    config.update(epochs=2, optimizer=dict(type="SGD", learning_rate=0.1))
    config.data.limit = 45
    scores = [runs.Run(config, tmp_path / name, strategies.make(name)).complete(
        verbose=0) for name in ("none", "mirrored")]
    assert set(scores[0]) == set(scores[1])
    for name, value in scores[0].items():
        np.testing.assert_allclose(scores[1][name], value, rtol=1e-4)
    one, other = (keras.saving.load_model(tmp_path / name / "model.keras")
                  for name in ("none", "mirrored"))
    for a, b in zip(one.weights, other.weights, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def _adapter(path):
    config = runs.read_config("digits/bayes_adapter.py", "smoke")
    config.method.allow_untrained = False
    config.pretrained = str(path)
    return config


@pytest.mark.slow
def test_a_run_that_starts_from_another_goes_through(run, tmp_path):
    config = _adapter(run.workdir)
    config.side_sets.uncertain_inputs = "digits"
    adapted = runs.Run(config, tmp_path / "a")
    metrics = adapted.complete(verbose=0)
    assert metrics["accuracy"] >= 0.0
    assert adapted.model._strange.given.shape[1:] == (8, 8, 1)
    again = runs.Run.reopen(tmp_path / "a")
    np.testing.assert_allclose(again.evaluate()["nll"], metrics["nll"], rtol=1e-5)


def test_a_model_without_labels_runs_and_reports(tmp_path):
    run = runs.Run(runs.read_config("digits/vae.py", "smoke"), tmp_path / "a")
    metrics = run.complete(verbose=0)
    assert set(metrics) == {"loss", "nll", "kl"}
    again = runs.reopen(tmp_path / "a")
    assert again.report() == pytest.approx(metrics, rel=1e-5)
    for name in ("samples", "reconstructions", "latent_walk"):
        assert (tmp_path / "a/plots" / f"{name}.png").exists()
    assert "Latent walk" in (tmp_path / "a/report.html").read_text()
    with pytest.raises(ValueError, match="`examine`: a VAE has not"):
        again.examine()


def test_the_confidence_of_confid_net_is_trained_in_a_run(tmp_path):
    config = runs.read_config("digits/confid_net.py", "smoke")
    run = runs.Run(config, tmp_path / "a")
    run.complete(verbose=0)
    again = runs.reopen(tmp_path / "a")
    x = again.data["test"].x
    np.testing.assert_allclose(again.model.confidence(x), run.model.confidence(x),
                               atol=1e-6)


def test_what_comes_after_fit_is_refused_where_nothing_does(tmp_path):
    config = _config()
    with config.unlocked():
        config.after_fit = {"epochs": 3}
    with pytest.raises(ValueError, match="MCDropout has no step after"):
        runs.Run(config, tmp_path / "a").complete(verbose=0)
