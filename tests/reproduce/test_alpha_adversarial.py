"""Tests of the attacks on alpha-divergence dropout, on the digits."""

import json
import math

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.attacks import FGSM, IterativeFGSM
from tools import gallery
from tools.reproduce import alpha_adversarial as task

SMALL = dict(name="digits", epochs=15, hidden=(64,), num_train_samples=2,
             num_samples=3, num_steps=4, num_images=60)


def _model(predictor="alpha_0.5"):
    return task._trained(predictor, 0, "digits", 15, (64,), 2, 0)


def _images():
    x, y = data.load("digits", "test", validation=0)
    return x[:60], y[:60]


def _expect(curves, place, prediction, y):
    entropy = prediction.predictive_entropy
    assert curves["accuracy"][place] == np.mean(prediction.label == y)
    np.testing.assert_allclose(curves["entropy"][place], np.mean(entropy), rtol=1e-5)
    np.testing.assert_allclose(curves["entropy_error"][place],
                               np.std(entropy) / math.sqrt(len(y) - 1), rtol=1e-4)


def test_untargeted_attack_is_fgsm_on_what_the_model_predicts():
    """Seen by other draws than those of the attacker; labels only score."""
    (x, y), model = _images(), _model()
    curves = task.untargeted(model, x, y, (0.0, 0.3), num_samples=3, seed=5)
    guess = model.predict_uncertainty(x, 3, seed=(5, 0)).label
    assert (guess != y).any()
    found = FGSM(0.3, num_samples=3)(model, x, guess, seed=(5, 2))
    _expect(curves, 0, model.predict_uncertainty(x, 3, seed=(5, 1)), y)
    _expect(curves, 1, model.predict_uncertainty(found, 3, seed=(5, 3)), y)
    assert curves["accuracy"][1] < curves["accuracy"][0]
    other = task.untargeted(model, x, (y + 1) % 10, (0.0, 0.3), 3, seed=5)
    assert other["entropy"] == curves["entropy"]
    assert other["accuracy"] != curves["accuracy"]


def test_targeted_attack_is_scored_at_every_step_without_class_0():
    (x, y), model = _images(), _model()
    curves = task.targeted(model, x, y, 3, num_samples=3, seed=5)
    assert all(len(values) == 4 for values in curves.values())
    x, y = x[y != 0], y[y != 0]
    assert len(y) < 60
    attack = IterativeFGSM(0.01, 1, num_samples=3)
    for step in range(4):
        if step:
            x = attack(model, x, np.zeros_like(y), seed=(5, 2 * step))
        prediction = model.predict_uncertainty(x, 3, seed=(5, 2 * step + 1))
        _expect(curves, step, prediction, y)
        assert curves["success"][step] == np.mean(prediction.label == 0)


def test_attacks_that_go_far_succeed():
    """And a network without draws is as sure of the wrong class in the end."""
    (x, y), model = _images(), _model("plain")
    curves = task.targeted(model, x, y, 60, num_samples=1)
    assert curves["success"][0] < 0.2 and curves["success"][-1] > 0.9
    assert curves["accuracy"][-1] < 0.1
    assert curves["entropy"][-1] < max(curves["entropy"])


@pytest.mark.parametrize("attack, few, many", [
    (task.untargeted, (0.0, 0.1), (0.0, 0.1, 0.2, 0.3)), (task.targeted, 2, 6)])
def test_more_radii_and_steps_are_not_traced(monkeypatch, attack, few, many):
    (x, y), model, calls = _images(), _model("plain"), []
    draw = type(model).draw

    def watched(self, *args):
        calls.append(args)
        return draw(self, *args)

    monkeypatch.setattr(type(model), "draw", watched)

    def traces(places):
        calls.clear()
        attack(model, x, y, places, 3)
        return len(calls)

    traces(few)  # The model traces its prediction for this many rows once.
    assert traces(few) == traces(many) > 0


def test_place_where_the_plain_network_breaks():
    plain = dict(accuracy=[0.9, 0.2, 0.19, 0.3, 0.0], entropy=[0.1, 0.1, 0.2, 2.0, 0.5])
    own = dict(accuracy=[0.8, 0.7, 0.6, 0.5, 0.4], entropy=[0.2, 0.3, 0.8, 0.9, 1.0])
    place, verdict = task.at_break(plain, own)
    assert place == 2
    assert verdict == dict(accuracy_at_break=0.6, entropy_at_break=0.8,
                           entropy_ratio=pytest.approx(4.0),
                           least_ratio=pytest.approx(2.0))
    place, verdict = task.at_break(own, own)
    assert place is None and all(map(math.isnan, verdict.values()))


def test_run_compares_with_the_plain_network_of_its_seed(monkeypatch):
    (x, y), plain = _images(), _model("plain")
    monkeypatch.setattr(task, "_BROKEN", 0.5)  # The small attack goes not far.
    scores = task.run(predictor="alpha_0.5", **SMALL)
    base = task.run(predictor="plain", **SMALL)
    broken = next(eta for eta in task.ETAS if base[f"accuracy_eta_{eta:.2f}"] < 0.5)
    assert scores["break_eta"] == base["break_eta"] == broken
    own, other = (s[f"entropy_eta_{broken:.2f}"] for s in (scores, base))
    assert scores["entropy_at_break"] == own
    np.testing.assert_allclose(scores["entropy_ratio"], own / other)
    assert base["entropy_ratio"] == 1.0
    assert scores["accuracy"] == scores["accuracy_eta_0.00"]
    clean = plain.predict_uncertainty(x, 1)
    assert base["accuracy_eta_0.00"] == np.mean(clean.label == y)
    assert math.isnan(scores["break_step"])
    assert math.isnan(scores["entropy_ratio_targeted"])
    assert all(isinstance(value, (float, int)) for value in scores.values())


def test_scaled_weights_are_one_pass_of_the_dropout_network():
    x, _ = _images()
    noisy, still = _model("alpha_0.5"), _model("scaled")
    assert still.network is noisy.network
    draws = still.sample_outputs(x, 2)
    np.testing.assert_array_equal(draws[0], draws[1])
    np.testing.assert_allclose(draws[0], noisy.network(x, training=False), atol=1e-5)


def test_predictors_are_trained_as_they_are_named(monkeypatch):
    monkeypatch.setattr(task.AlphaDivergenceDropout, "fit", lambda *_, **__: None)
    for alpha in (0.0, 0.5, 1.0):
        model = task._trained.__wrapped__(
            f"alpha_{alpha:g}", 0, "digits", 1, (64,), 2, 0)
        assert model.alpha == alpha and model.num_train_samples == 2
        # The authors' decay, for every kernel: 1e-6 with 60,000 images.
        np.testing.assert_allclose(0.5 / (2 * model.prior_scale**2 * 60_000), 1e-6,
                                   rtol=0.01)
        assert list(model.rates().values()) == [0.5, 0.5]  # Inputs and hidden units.
    assert not any("dropout" in layer.name for layer in _model("plain").network.layers)


def test_unknown_predictor_is_refused():
    with pytest.raises(ValueError, match="Received: predictor='alpha_2'"):
        task.run(predictor="alpha_2")


def test_figure_finds_the_curves_in_the_scores(tmp_path, monkeypatch):
    monkeypatch.setattr(gallery, "ROOT", tmp_path)
    (tmp_path / "docs/results").mkdir(parents=True)
    scores = task.run(predictor="scaled", **SMALL)
    (tmp_path / "docs/results/alpha_adversarial.json").write_text(json.dumps(
        {"rows": [{"label": "one pass", "scores": [scores]}]}))
    figure, caption = gallery.Figures("digits").attack_curves()
    [entropy] = [axes for axes in figure.axes if axes.get_title() == "Untargeted"
                 and "entropy" in axes.get_ylabel()]
    np.testing.assert_allclose(entropy.lines[0].get_xydata()[10],
                               [0.2, scores["entropy_eta_0.20"]])
    assert f"one pass {scores['entropy_ratio']:.1f}" in caption
