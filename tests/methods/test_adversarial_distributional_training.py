"""ADT: three kinds of laws behind one door; what they do is tested with each."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from absl import logging

from bdlzoo.core import noise
from bdlzoo.methods import AdversarialDistributionalTraining
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=40)
X = np.clip(0.5 + 0.4 * (Y[:, None] - 0.5) * np.ones(25) + 0.05 * RNG.normal(
    size=(40, 25)), 0, 1).reshape(40, 5, 5, 1).astype("float32")
KEY = noise.key(0, noise.TRAIN)
SMALL = dict(latent=3, generator={"type": "PerturbationGenerator", "width": 2},
             encoder={"type": "PerturbationEncoder", "filters": (2,)})
KINDS = ("explicit", "explicit_amortized", "implicit_amortized")


def _model(distribution="explicit", **kwargs):
    keras.utils.set_random_seed(0)
    model = AdversarialDistributionalTraining(
        MLP((5, 5, 1), (), 2), distribution=distribution, seed=0, warm_up=0.0,
        **{"epsilon": 0.3, **SMALL, **kwargs})
    model.compile(keras.optimizers.SGD(0.1))
    model.build((None, 5, 5, 1))
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_moves_all_weights_and_laws_stay_in_the_ball(kind):
    model = _model(kind)
    before = [w.numpy() for w in model.trainable_variables]
    with tf.GradientTape() as tape:
        logs, _ = model.objective(X, Y, None, KEY)
    model.update(tape.gradient(logs["loss"], model.trainable_variables), KEY)
    for old, new in zip(before, model.trainable_variables, strict=True):
        assert not np.array_equal(old, new.numpy()), new.path
    assert len(model.adversary_optimizer.variables) > 2 or kind == "explicit"
    perturbations = model.adversarial_distribution(X[:3], Y[:3])
    draws, moved = perturbations.draws(6).numpy(), perturbations.inputs(6).numpy()
    assert draws.shape == (6, 3, 5, 5, 1) and np.abs(draws).max() <= 0.3
    assert moved.min() >= 0 and moved.max() <= 1
    assert (perturbations.spread(6).numpy() > 0).all()


def test_explicit_law_finds_what_hurts():
    """Draws of the law are worse for a network than even noise in the ball."""
    model = _model(num_steps=7, num_train_samples=2)
    model.network.set_weights([np.repeat([[-8.0, 8.0]], 25, axis=0) / 25,
                               np.array([4.0, -4.0])])
    draws = model.adversarial_distribution(X, Y).inputs(8).numpy()
    noisy = np.clip(X + 0.3 * RNG.uniform(-1, 1, X.shape), 0, 1)
    wrong = np.mean([model.network(x).numpy().argmax(-1) != Y for x in draws])
    assert wrong > 0.9
    assert np.mean(model.network(noisy).numpy().argmax(-1) != Y) < 0.1


def test_loss_is_that_of_a_draw_and_the_penalty():
    logs, _ = _model("explicit").objective(X, Y, None, KEY)
    np.testing.assert_allclose(logs["loss"], logs["nll"], rtol=1e-6)
    logs, _ = _model("explicit_amortized", entropy_weight=2.0).objective(
        X, Y, None, KEY)
    np.testing.assert_allclose(logs["loss"], logs["nll"] - 2.0 * logs["entropy"],
                               rtol=1e-5)
    logs, _ = _model("implicit_amortized", threshold=-9.0).objective(X, Y, None, KEY)
    np.testing.assert_allclose(
        logs["loss"], logs["nll"] + np.log(2.0) - logs["entropy"] + 9.0, rtol=1e-5)


def test_without_a_radius_it_is_standard_training_and_the_adversary_rests():
    model = _model("explicit_amortized", epsilon=0.0)
    with tf.GradientTape() as tape:
        logs, _ = model.objective(X, Y, None, KEY)
    nll = tf.nn.sparse_softmax_cross_entropy_with_logits(Y, model.network(X))
    np.testing.assert_allclose(logs["loss"], np.mean(nll), rtol=1e-6)
    before = [w.numpy() for w in model.adversary.trainable_variables]
    model.update(tape.gradient(logs["loss"], model.trainable_variables), KEY)
    for old, new in zip(before, model.adversary.trainable_variables):
        np.testing.assert_array_equal(old, new)


def test_file_round_trip_keeps_the_law(tmp_path):
    model = _model("implicit_amortized", threshold=0.3)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert (loaded.distribution, loaded.threshold) == ("implicit_amortized", 0.3)
    draws = [each.adversarial_distribution(X[:2], Y[:2]).draws(3)
             for each in (model, loaded)]
    np.testing.assert_allclose(*draws, atol=1e-6)


def test_an_inert_threshold_is_said(monkeypatch):
    said = []
    monkeypatch.setattr(logging, "warning",
                        lambda text, *args: said.append(text % args))
    _model("implicit_amortized", threshold=0.86)
    assert not said
    _model("implicit_amortized", threshold=0.9)
    assert "0.8696" in said[0]


@pytest.mark.parametrize("wrong", [
    {"distribution": "gaussian"}, {"num_steps": 0}, {"step_size": 0.0},
    {"num_train_samples": 0}, {"entropy": "median"}, {"entropy_weight": -1.0},
    {"latent": 0}, {"threshold": np.nan}, {"epsilon": -0.1}])
def test_impossible_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=f"Received: {next(iter(wrong))}="):
        AdversarialDistributionalTraining(MLP((4,), (), 2), **wrong)


def test_generators_need_images_and_laws_need_labels_in_the_box():
    model = AdversarialDistributionalTraining(
        MLP((4,), (), 2), distribution="explicit_amortized")
    with pytest.raises(ValueError, match="images"):
        model.build((None, 4))
    model = _model()
    with pytest.raises(ValueError, match="y=None"):
        model.adversarial_distribution(X, None)
    with pytest.raises(ValueError, match=r"in \[0.0, 1.0\]"):
        model.adversarial_distribution(X + 1, Y)
