"""Label curves of posteriors: chains that begin anew, and scores read off."""

import math

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.evaluation.active_learning import ActiveLearning, Curve, balanced_rows
from tools.reproduce import posterior_active_learning as task

TRAIN, TEST = (data.load("digits", split, validation=0)
               for split in ("train", "test"))
SMALL = dict(num_samples=5, filters=(4, 8), pool=1, gan_steps=10)


def test_scores_are_read_off_the_curve(monkeypatch):
    asked = []
    monkeypatch.setattr(task, "curve", lambda *args, **options: asked.append(
        (args, options)) or Curve([20, 30, 40], [0.5, 0.8, 0.7], [0.0] * 3, []))
    assert task.run(3, "apd", "random", num_steps=7) == {
        "labels_to_80": 30.0, "labels_to_90": math.inf, "accuracy_20": 0.5,
        "accuracy_30": 0.8, "accuracy_40": 0.7}
    assert asked == [((3, "apd", "random"), {"num_steps": 7})]


@pytest.mark.parametrize("method", ["sgld", "apd"])
def test_rounds_of_a_chain_begin_anew(method):
    """Round two alone, on its rows, is round two after round one."""
    model = task.untrained(0, method, TRAIN.x.shape[1:], 20, **SMALL)
    # All that is short to trace: a step a call, one number of rows to predict.
    model.compile(model.optimizer, steps_per_execution=1)
    loop = ActiveLearning(model, TRAIN.x, lambda rows: TRAIN.y[rows],
                          (TEST.x[:60], TEST.y[:60]), balanced_rows(TRAIN.y, 2),
                          num_steps=20, batch_size=16, num_candidates=60)
    if method == "apd":
        model.gan.critic_steps = 1
    curve = loop.run("entropy", 1, 10)
    rows = np.concatenate(curve.rows[:2])
    left = [v.numpy() for v in loop._variables]
    # The second half of 20 steps, one sample in two, each seen by the generator.
    assert int(model.num_stored) == 5
    if method == "apd":
        assert int(model.num_learnt) == int(model.gan.optimizer.iterations) == 9
        assert int(model.gan.critic_optimizer.iterations) == 9
        assert float(model.gan.num_seen) == 5
    loop._train(1, rows, TRAIN.y[rows])
    for variable, value in zip(loop._variables, left, strict=True):
        np.testing.assert_array_equal(variable, value, err_msg=variable.path)
    assert loop._test_scores() == (curve.accuracy[1], curve.nll[1])


@pytest.mark.parametrize("method", ["sgd", "mc_dropout"])
def test_methods_learn_from_labels(method):
    curve = task.curve(1, method, "random", name="digits", num_rounds=1, count=130,
                       num_steps=160, batch_size=32, num_candidates=150,
                       learning_rate=0.2, prior_scale=5.0,
                       num_samples=5, filters=(8, 16), pool=1)
    assert curve.labels == [20, 150]
    assert curve.accuracy[1] > max(0.6, curve.accuracy[0])


def test_chain_is_cold_and_fits_into_a_round():
    model = task.untrained(0, "apd", (28, 28, 1), 400, num_samples=50, gan_steps=40)
    assert (model.burn_in, model.thinning, model.num_kept) == (200, 4, 50)
    model.build((None, 28, 28, 1))
    assert model.flat.size == 7626
    assert (model.distill_every, model.temperature) == (5, 1e-3)
    # More samples than steps: one a step.
    model = task.untrained(0, "apd", (28, 28, 1), 10, num_samples=50, gan_steps=40)
    assert (model.burn_in, model.thinning, model.distill_every) == (5, 1, 1)
    with pytest.raises(ValueError, match="Received: method='vi'"):
        task.untrained(0, "vi", (28, 28, 1))


def test_few_test_images_are_spread_over_all(monkeypatch):
    """Of MNIST, the first half is easier than the second."""
    seen = {}
    monkeypatch.setattr(ActiveLearning, "run", lambda self, *_: seen.update(
        x=self.test[0], y=self.test[1]))
    task.curve(0, "sgd", name="digits", num_test=120, **SMALL)
    np.testing.assert_array_equal(seen["x"], TEST.x[::2])
    np.testing.assert_array_equal(seen["y"], TEST.y[::2])
