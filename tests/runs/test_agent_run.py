"""Runs of agents: a world in the place of data."""

import numpy as np
import pytest

from bdlzoo import runs


def _config(name="reinforce", **changes):
    config = runs.read_config(f"worlds/{name}.py", "smoke")
    config.update(changes)
    return config


def test_run_trains_evaluates_plays_and_reports(tmp_path):
    run = runs.open_run(_config("epsilon_greedy"), tmp_path / "run")
    metrics = run.complete(verbose=0)
    assert {"return", "finished", "greedy_return"} <= metrics.keys()
    again = runs.reopen(tmp_path / "run")
    assert isinstance(again, runs.AgentRun) and again.finished()
    frames, total = again.play(seed=3)
    assert len(frames) == again.world.horizon == 3
    assert frames[0].values.shape == (2,) and frames[0].picture.ndim == 3
    np.testing.assert_allclose(frames[0].total, 0.0)
    assert isinstance(total, float)
    assert again.report() == metrics
    assert (tmp_path / "run/plots/returns.png").exists()
    assert (tmp_path / "run/report.html").exists()


def test_run_goes_on_from_its_last_epoch(tmp_path):
    config = _config()
    whole = runs.open_run(config, tmp_path / "whole")
    whole.complete(verbose=0)

    class Stop(Exception):
        pass

    class Stopping(runs.HistoryFile):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 1:
                raise Stop

    killed = runs.open_run(config, tmp_path / "killed")
    killed.record()
    with pytest.raises(Stop):
        killed.fit(callbacks=[Stopping(tmp_path / "other.csv")], verbose=0)
    # A run that began anew would end the same.
    assert list((tmp_path / "killed/checkpoints").iterdir())
    resumed = runs.open_run(config, tmp_path / "killed")
    resumed.complete(verbose=0)
    for one, other in zip(whole.model.weights, resumed.model.weights, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (tmp_path / "whole/history.csv").read_text() == (
        tmp_path / "killed/history.csv").read_text()


def test_config_of_an_agent_is_checked(tmp_path):
    with pytest.raises(ValueError, match="config.episodes=0"):
        runs.open_run(_config(episodes=0), tmp_path / "run")
    run = runs.open_run(_config(), tmp_path / "run")
    with pytest.raises(ValueError, match="`data`"):
        _ = run.data
    assert runs.load_world(run.config).num_actions == 5
    run.record()
    path = tmp_path / "run/config.json"
    path.write_text(path.read_text().replace('"episodes": 16', '"episodes": "many"'))
    with pytest.raises(ValueError, match="episodes"):
        runs.reopen(tmp_path / "run")


def test_curves_of_runs_that_differ_in_the_seed_are_one_line(tmp_path):
    made = []
    for place, (name, seed, epochs) in enumerate((
            ("reinforce", 0, 2), ("reinforce", 1, 2), ("reinforce", 0, 1),
            ("epsilon_greedy", 0, 2))):
        made.append(runs.open_run(_config(name, seed=seed, epochs=epochs),
                                  tmp_path / f"run_{place}"))
        made[-1].record()
        (made[-1].workdir / "history.csv").write_text(
            f"epoch,return,world_steps\n1,{place}.0,5.0\n2,{place}.5,9.0\n")
    assert runs.learning_curves(made) == {
        "Reinforce, run_0": [([5.0, 9.0], [0.0, 0.5]), ([5.0, 9.0], [1.0, 1.5])],
        "Reinforce, run_2": [([5.0, 9.0], [2.0, 2.5])],
        "EpsilonGreedy": [([5.0, 9.0], [3.0, 3.5])]}
    assert list(runs.learning_curves(made[3:])) == ["EpsilonGreedy"]
