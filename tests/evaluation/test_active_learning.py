"""The pool loop: what it may read, what stays compiled, how it resumes."""

import json

import keras
import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.evaluation import acquisition
from bdlzoo.evaluation.active_learning import ActiveLearning, Curve, balanced_rows
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.networks import MLP

TRAIN, TEST = (data.load("digits", split, validation=0)
               for split in ("train", "test"))


class _Counted(MCDropout):
    """Counts how often Python runs through step and prediction: traces."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.steps_traced, self.draws_traced, self.seen_num_data = 0, 0, []

    def objective(self, *args):
        self.steps_traced += 1
        return super().objective(*args)

    def draw(self, *args):
        self.draws_traced += 1
        return super().draw(*args)

    def fit(self, *args, **kwargs):
        history = super().fit(*args, **kwargs)
        self.seen_num_data.append(int(self.num_data.numpy()))
        return history


def _model(kind=_Counted, **options):
    keras.utils.set_random_seed(1)
    network = MLP(TRAIN.x.shape[1:], (32,), 10, dropout=0.3)
    if kind is not Deterministic:
        options = {"num_samples": 5, "prior_scale": 1.0, **options}
    model = kind(network, seed=0, **options)
    model.compile(keras.optimizers.Adam(1e-2))
    return model


def _label(rows):
    return TRAIN.y[rows]


def _loop(model=None, **options):
    return ActiveLearning(model or _model(), TRAIN.x, _label, TEST, **{**dict(
        initial=balanced_rows(TRAIN.y, 2), num_steps=20, batch_size=16,
        num_candidates=100), **options})


@pytest.fixture(scope="module")
def compiled():
    """One loop for all tests, since its model is compiled for seconds."""
    return _loop()


@pytest.fixture
def loop(compiled, monkeypatch):
    """What a test changes in it is undone."""
    monkeypatch.setattr(compiled, "label", _label)
    monkeypatch.setattr(compiled.model, "seen_num_data", [])
    return compiled


def test_no_round_retraces():
    """One trace of the step; one of prediction for each number of rows."""
    model = _model()
    loop = _loop(model)
    loop.run("bald", 1, 7)
    assert model.steps_traced == 1
    assert model.draws_traced == 2  # 100 candidates, and the test set.
    loop.run("bald", 3, 7)
    loop.run("entropy", 1, 3)
    assert (model.steps_traced, model.draws_traced) == (1, 2)


def test_prior_sees_the_number_of_labels(loop):
    curve = loop.run("random", 2, 10)
    assert loop.model.seen_num_data == curve.labels == [20, 30, 40]


@pytest.mark.parametrize("name", acquisition.NAMES)
def test_labels_are_read_for_chosen_rows_alone(name, loop):
    asked = []
    loop.label = lambda rows: asked.append(rows.tolist()) or _label(rows)
    curve = loop.run(name, 1, 6)
    assert asked == curve.rows[:-1]
    rows = np.concatenate(curve.rows)
    assert len(set(rows.tolist())) == len(rows) == 20 + 2 * 6
    assert curve.labels == [20, 26]


def test_labels_of_the_pool_change_nothing_before_they_are_asked_for(loop):
    """Rows that were never chosen may have any label."""
    curve = loop.run("bald", 2, 10)
    hidden = np.full_like(TRAIN.y, 3)
    known = np.concatenate(curve.rows[:-1])
    hidden[known] = TRAIN.y[known]
    loop.label = lambda rows: hidden[rows]
    assert loop.run("bald", 2, 10) == curve


def test_every_round_starts_from_the_same_weights(loop):
    """Round two alone, on its rows, is round two after round one."""
    curve = loop.run("bald", 2, 10)
    rows = np.concatenate(curve.rows[:3])
    loop._train(2, rows, TRAIN.y[rows])
    assert loop.model.optimizer.iterations.numpy() == 20
    assert loop._test_scores() == (curve.accuracy[2], curve.nll[2])


def test_batches_are_drawn_with_replacement_from_the_labelled_rows(loop):
    rows = np.arange(5)
    dataset = loop._batches(0, rows, np.array([4, 3, 2, 1, 0]))
    assert dataset.element_spec[1].shape == (16,)  # Known before it runs.
    batches = list(dataset)
    assert len(batches) == 20
    counts = np.zeros(5)
    for x, y in batches:
        assert x.shape == (16, *TRAIN.x.shape[1:]) and y.shape == (16,)
        np.testing.assert_array_equal(x, TRAIN.x[4 - y.numpy()])
        counts += np.bincount(y, minlength=5)
    # 64 of 320 expected, standard deviation 7.2.
    assert abs(counts - 64).max() < 29
    other = next(iter(loop._batches(1, rows, np.arange(5))))
    assert not np.array_equal(other[0], batches[0][0])


def test_candidates_are_drawn_anew_each_round(loop, monkeypatch):
    seen = []
    predict = loop.model.predict_uncertainty
    monkeypatch.setattr(loop.model, "predict_uncertainty",
                        lambda x: seen.append(x) or predict(x))
    curve = loop.run("random", 2, 5)
    pools = [{int(np.flatnonzero((TRAIN.x == row).all(axis=(1, 2, 3)))[0])
              for row in x} for x in seen if len(x) == 100]
    # Of 100 out of 1,400, twice more, half a row is left on average.
    assert len(pools) == 3 and len(set.intersection(*pools)) < 6
    for place, pool in enumerate(pools):
        assert set(curve.rows[place + 1]) <= pool
        assert not pool & set(np.concatenate(curve.rows[:place + 1]))


def test_killed_loop_goes_on_to_the_same_curve(loop, tmp_path):
    whole = loop.run("bald", 2, 10, folder=tmp_path / "whole")

    def label(rows):
        if rows.tolist() == whole.rows[1]:
            raise KeyboardInterrupt
        return _label(rows)

    loop.label = label
    with pytest.raises(KeyboardInterrupt):
        loop.run("bald", 2, 10, folder=tmp_path / "killed")
    again = _loop()  # As in a new process.
    assert again.run("bald", 2, 10, folder=tmp_path / "killed") == whole
    assert again.model.seen_num_data == [30, 40]
    first, second = ((tmp_path / name / "state.json").read_text()
                     for name in ("whole", "killed"))
    assert first == second


def test_more_rounds_go_on_and_a_finished_loop_trains_nothing(loop, tmp_path):
    whole = loop.run("entropy", 2, 10)
    loop.run("entropy", 0, 10, folder=tmp_path)
    loop.model.seen_num_data.clear()
    assert loop.run("entropy", 2, 10, folder=tmp_path) == whole
    assert loop.model.seen_num_data == [30, 40]
    assert loop.run("entropy", 0, 10, folder=tmp_path) == whole.first(1)
    assert loop.model.seen_num_data == [30, 40]


def test_state_is_whole_or_not_there(loop, tmp_path, monkeypatch):
    """A crash while writing leaves the state of the round before."""
    loop.run("bald", 0, 10, folder=tmp_path)
    before = (tmp_path / "state.json").read_text()

    def crash(content, file):
        file.write("{")
        raise OSError("no space left")

    monkeypatch.setattr(json, "dump", crash)
    with pytest.raises(OSError):
        loop.run("bald", 2, 10, folder=tmp_path)
    assert (tmp_path / "state.json").read_text() == before


@pytest.mark.parametrize("change, word", [
    (dict(num_steps=10), "num_steps"), (dict(seed=3), "seed"),
    (dict(initial=[0, 1, 2]), "initial"), ("weights", "initial_weights")])
def test_folder_of_another_loop_is_refused(change, word, loop, tmp_path):
    loop.run("bald", 0, 10, folder=tmp_path)
    model = _model()
    if change == "weights":
        model.build((None, *TRAIN.x.shape[1:]))
        model.trainable_variables[0].assign_add(
            np.ones(model.trainable_variables[0].shape))
        change = {}
    with pytest.raises(ValueError, match=f"differs in .*{word}"):
        _loop(model, **change).run("bald", 1, 10, folder=tmp_path)


def test_deterministic_model_learns_by_random_choices():
    curve = _loop(_model(Deterministic), num_steps=100).run("bald", 1, 100)
    assert curve.accuracy[1] > curve.accuracy[0] > 0.5
    assert curve.nll[1] < curve.nll[0]


def test_initial_rows_are_balanced_and_drawn():
    rows = balanced_rows(TRAIN.y, 3, seed=1)
    np.testing.assert_array_equal(np.bincount(TRAIN.y[rows]), [3] * 10)
    assert len(set(rows)) == 30
    assert set(rows) != set(balanced_rows(TRAIN.y, 3, seed=2))
    with pytest.raises(ValueError, match="rarest.*Received: per_class=5000"):
        balanced_rows(TRAIN.y, 5000)
    with pytest.raises(ValueError, match="not for regression.*0.5"):
        balanced_rows(np.array([0.0, 0.5]), 1)


def test_curve_says_when_an_accuracy_was_reached():
    curve = Curve([20, 30, 40], [0.5, 0.9, 0.8], [1, 1, 1], [[]] * 4)
    assert curve.labels_to(0.9) == 30 and curve.labels_to(0.95) == np.inf
    assert curve.accuracy_at(40) == 0.8
    with pytest.raises(ValueError, match="Received: labels=35"):
        curve.accuracy_at(35)


def test_progress_has_a_line(loop, capsys):
    loop.run("random", 1, 5, verbose=1)
    out = capsys.readouterr().out
    assert "2/2" in out and "accuracy" in out and "labels" in out


def test_what_cannot_be_run_is_refused(loop):
    with pytest.raises(ValueError, match="pool has rows, .* 20 initial"):
        loop.run("bald", 1000, 10)
    with pytest.raises(ValueError, match="num_candidates=100. Received: count=101"):
        loop.run("bald", 1, 101)
    with pytest.raises(ValueError, match="'blad'"):
        loop.run("blad", 1, 1)
    with pytest.raises(ValueError, match="different rows"):
        _loop(initial=[1, 1])
    with pytest.raises(ValueError, match="of classes.*Received: Gaussian"):
        _loop(_model(likelihood="gaussian"))
    with pytest.raises(ValueError, match="compiled"):
        _loop(MCDropout(MLP(TRAIN.x.shape[1:], (4,), 10, dropout=0.3)))
