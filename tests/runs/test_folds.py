"""Runs over folds: trained side by side, chosen on a grid, resumed, refused."""

import json

import numpy as np
import pytest

from bdlzoo import runs
from bdlzoo.core import strategies

CHEAP = {"epochs": 20, "network.hidden": (4,), "method.num_samples": 5}
GIVEN = {"network.dropout": 0.1, "precision": 4.0}


@pytest.fixture(autouse=True)
def set_of_my_own(tmp_path, monkeypatch):
    """A data set that the zoo has never heard of."""
    rng = np.random.default_rng(0)
    orders = np.stack([rng.permutation(60) for _ in range(3)])
    x = rng.normal(size=(60, 2))
    (tmp_path / "data/uci").mkdir(parents=True)
    np.savez(tmp_path / "data/uci/mine.npz", X=x,
             y=10.0 + 3.0 * x[:, 0] + 0.3 * rng.normal(size=60),
             train_idx=orders[:, 10:], test_idx=orders[:, :10])
    monkeypatch.setenv("BDLZOO_DATA_DIR", str(tmp_path / "data"))


def _config(method="mc_dropout", **changes):
    config = runs.read_config(f"uci/{method}.py")
    config.update_from_flattened_dict({
        "data.name": "uci/mine", "jit_compile": False, **changes})
    return config


def test_run_on_all_folds_tells_each_of_them(tmp_path):
    run = runs.open_run(_config(**CHEAP, **GIVEN), tmp_path / "run")
    metrics = run.complete(verbose=0)
    assert metrics == json.loads((tmp_path / "run/metrics.json").read_text())
    assert len(metrics["rmse_folds"]) == len(metrics["nll_folds"]) == 3
    np.testing.assert_allclose(metrics["rmse"], np.mean(metrics["rmse_folds"]))
    np.testing.assert_allclose(run.model.likelihood.log_noise[:, 0], [
        np.log(0.5 / scale) for _, scale in run.folds.target_scales], rtol=1e-5)
    again = runs.reopen(tmp_path / "run")
    np.testing.assert_allclose(again.scores("test")["nll"], metrics["nll"], rtol=1e-5)
    with pytest.raises(ValueError, match="a run on one fold"):
        again.check_finished()


@pytest.mark.slow
def test_killed_run_ends_as_one_that_was_not(tmp_path):
    config = _config(**{**CHEAP, **GIVEN, "epochs": 200})
    whole = runs.open_run(config, tmp_path / "whole").complete(verbose=0)
    run = runs.open_run(config, tmp_path / "killed")
    run.record()
    fit = run.model.fit
    run.model.fit = lambda *args, epochs, **kwargs: fit(*args, epochs=1, **kwargs)
    run.fit(verbose=0)  # 100 of 200 passes.
    assert not run.finished()
    again = runs.open_run(config, tmp_path / "killed")
    assert again.complete(verbose=0) == whole


def test_one_fold_is_a_run_like_any_other(tmp_path):
    run = runs.open_run(
        _config(**CHEAP, **GIVEN, **{"data.fold": 1}), tmp_path / "run")
    assert type(run) is runs.Run
    metrics = run.complete(verbose=0)
    _, std = run.target_scale
    np.testing.assert_allclose(metrics["rmse_raw"], metrics["rmse"] * std)
    np.testing.assert_allclose(np.exp(run.model.likelihood.log_noise), 0.5 / std,
                               rtol=1e-5)
    run.check_finished()


@pytest.mark.parametrize("select, num_choices", [
    ("fold_0", 1), pytest.param("each_fold", 3, marks=pytest.mark.slow)])
def test_rate_and_precision_are_chosen_by_held_out_rows(tmp_path, select, num_choices):
    grid = {"grid.dropout": (0.01, 0.9), "grid.precision": (1e-4, 0.1),
            "epochs": 100, "select": select}
    run = runs.open_run(_config(**{**CHEAP, **grid}), tmp_path / "run")
    metrics = run.complete(verbose=0)
    chosen = json.loads((tmp_path / "run/chosen.json").read_text())
    assert chosen == [[0.01, 0.1]] * 3 and len(metrics["nll_folds"]) == 3
    # The grid has each fold, or the first, once for each precision.
    found = runs.Run.reopen(tmp_path / "run/grid/rate_0.9").config.data.folds
    assert found == [f for f in range(num_choices) for _ in range(2)]
    assert metrics == runs.open_run(
        _config(**{**CHEAP, **grid}), tmp_path / "run").complete(verbose=0)


def test_folds_that_chose_other_rates_come_together(tmp_path):
    run = runs.open_run(
        _config(**{**CHEAP, "select": "each_fold"}), tmp_path / "run")
    run.write_config()
    chosen = [[0.1, 4.0], [0.01, 1.0], [0.1, 9.0]]
    (tmp_path / "run/chosen.json").write_text(json.dumps(chosen))
    metrics = run.complete(verbose=0)
    parts = [json.loads((tmp_path / f"run/rate_{rate}/metrics.json").read_text())
             for rate in (0.1, 0.01)]
    assert metrics["nll_folds"] == [parts[0]["nll_folds"][0], parts[1]["nll_folds"][0],
                                    parts[0]["nll_folds"][1]]


def test_unknown_set_is_chosen_for_from_noises_as_shares(tmp_path):
    run = runs.open_run(_config(), tmp_path / "run")
    assert isinstance(run, runs.SelectedRun)
    std = np.sqrt(np.reciprocal(run._precisions())) / run.config.grid.noise_share
    assert np.ptp(std) < 1e-6 and 2.5 < std[0] < 3.5


@pytest.mark.parametrize("method", ["deterministic", "deep_ensemble", "mean_field_vi",
                                    "alpha_divergence_dropout"])
def test_other_methods_run_on_all_folds(tmp_path, method):
    changes = {"epochs": 2, "network.hidden": (4,)}
    if method == "alpha_divergence_dropout":
        changes |= GIVEN
    run = runs.open_run(_config(method, **changes), tmp_path / "run")
    metrics = run.complete(verbose=0)
    assert np.isfinite(metrics["nll_folds"]).all() and len(metrics["nll_folds"]) == 3
    members = 5 if method == "deep_ensemble" else 1
    assert run.model.network.copies == 3 * members


def test_keys_without_a_value_take_that_of_the_set():
    config = runs.read_config("uci/mc_dropout.py")
    config.data.name = "uci/protein-tertiary-structure"
    found = runs.filled(config)
    assert found.network.hidden == (100,) and found.epochs == 2000
    assert found.grid.precision == (0.025, 0.05, 0.075)
    config.epochs = 7
    assert runs.filled(config).epochs == 7
    config.data.name = "uci/yacht"
    assert runs.filled(config).network.hidden == (50,)


def test_bad_requests_are_refused_untouched(tmp_path):
    with pytest.raises(ValueError, match="config.select='some'"):
        runs.open_run(_config(select="some"), tmp_path / "run")
    with pytest.raises(ValueError, match="a run on all folds chooses them"):
        runs.open_run(_config(**{"data.fold": 1}), tmp_path / "run")
    ensemble = _config("deep_ensemble", epochs=1)
    with ensemble.unlocked():
        ensemble.method.anchored = True
    with pytest.raises(ValueError, match="Received: \\['anchored'\\]"):
        runs.open_run(ensemble, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_folds_are_trained_on_one_device(tmp_path):
    with pytest.raises(ValueError, match="Expected one device for a run on all folds"):
        runs.open_run(_config(**CHEAP, **GIVEN), tmp_path / "run",
                                  strategies.make("mirrored"))
    assert not (tmp_path / "run").exists()
