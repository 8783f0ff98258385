"""A choice keeps to its budget, and goes on where it was stopped."""

import json

import keras
import numpy as np
import pytest

import bdlzoo
from bdlzoo.data import Split
from bdlzoo.evaluation.choice import Choice
from bdlzoo.evaluation.choice_rows import choice_rows

X = np.random.default_rng(0).normal(size=(80, 3)).astype("float32")
Y = (X[:, 0] > 0).astype("int32")
ROWS = choice_rows(Split(X[:40], Y[:40]), Split(X[40:60], Y[40:60]),
                   Split(X[60:], Y[60:]))


def _build(dropout=0.0):
    keras.utils.set_random_seed(1)
    network = keras.Sequential([keras.Input((3,)), keras.layers.Dropout(dropout),
                                keras.layers.Dense(2)])
    kind = bdlzoo.methods.MCDropout if dropout else bdlzoo.methods.Deterministic
    return kind(network, num_samples=4, seed=1)


BUILDS = {"plain": _build, "masks": lambda: _build(0.2)}


def _choice(folder, **options):
    return Choice(BUILDS, ROWS, folder, epochs=2, learning_rate=0.1, **options)


def _times(folder, **seconds):
    folder.mkdir(exist_ok=True)
    (folder / "times.json").write_text(json.dumps({"timing": 1.0, **seconds}))


def test_the_quickest_come_first_as_long_as_the_budget_lasts(tmp_path):
    _times(tmp_path, plain=500.0, masks=2.0)
    lines = []
    trials, left_out = _choice(tmp_path).run(minutes=8.0, tell=lines.append)
    assert [trial.name for trial in trials] == ["masks"]
    assert left_out.keys() == {"plain"} and "would take 500 s" in left_out["plain"]
    [trial] = trials
    model = keras.saving.load_model(tmp_path / "masks/model.keras")
    x, y = ROWS.decision
    expected = -model.predict_uncertainty(x, seed=0).log_prob(y)
    np.testing.assert_allclose(trial.losses, expected, rtol=1e-5)
    assert {"accuracy", "nll", "ece"} <= trial.scores.keys()
    assert 0.0 <= trial.detection <= 1.0 and trial.answer_ms > 0
    size = sum(w.numpy().nbytes for w in model.weights) / 2**20
    assert trial.megabytes == pytest.approx(size)
    # With a larger budget it goes on, and trains nothing again.
    _times(tmp_path, plain=3.0, masks=2.0)
    written = (tmp_path / "masks/trial.json").stat().st_mtime_ns
    trials, left_out = _choice(tmp_path).run(minutes=900.0, tell=lines.append)
    assert [trial.name for trial in trials] == ["masks", "plain"] and not left_out
    assert (tmp_path / "masks/trial.json").stat().st_mtime_ns == written


def test_a_budget_for_nothing_is_refused(tmp_path):
    _times(tmp_path, plain=120.0, masks=300.0)
    with pytest.raises(ValueError, match="at least 2.1 minutes, which plain needs"):
        _choice(tmp_path).run(minutes=0.5, tell=lambda line: None)


@pytest.mark.slow
def test_training_that_was_killed_goes_on(tmp_path, monkeypatch):
    _times(tmp_path / "whole", plain=1.0)
    _times(tmp_path / "killed", plain=1.0)
    builds = {"plain": _build}
    [whole], _ = Choice(builds, ROWS, tmp_path / "whole", epochs=3).run(90.0, print)

    class Killed(BaseException):
        pass

    class Bomb(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 2:
                raise Killed

    def built():
        model, fit = _build(), bdlzoo.methods.Deterministic.fit
        model.fit = lambda *rows, callbacks, **options: fit(
            model, *rows, callbacks=[*callbacks, Bomb()], **options)
        return model

    with pytest.raises(Killed):
        Choice({"plain": built}, ROWS, tmp_path / "killed", epochs=3).run(90.0, print)
    spent = json.loads((tmp_path / "killed/plain/spent.json").read_text())["seconds"]
    [after], _ = Choice(builds, ROWS, tmp_path / "killed", epochs=3).run(90.0, print)
    np.testing.assert_array_equal(after.losses, whole.losses)
    assert after.seconds > spent


@pytest.mark.slow
def test_times_are_measured_for_all_epochs(tmp_path):
    choice = _choice(tmp_path)
    few = choice._times(0.0, lambda line: None)
    assert few.keys() == {"plain", "timing"}  # One is timed, whatever the budget.
    times = choice._times(1e9, lambda line: None)
    assert times.keys() == {"plain", "masks", "timing"}
    assert times["plain"] == few["plain"] and times["timing"] > few["timing"]
    choice.epochs = 2000
    assert choice._time(choice._compiled(_build)) > 4.0 * times["plain"]
