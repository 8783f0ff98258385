"""What all models against an adversary share: radius, modes, box and likelihood."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.adversarial_model import AdversarialModel, Attacked
from bdlzoo.methods import Deterministic
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(20, 4)).astype("float32")
Y = RNG.integers(3, size=20)
KEY = noise.key(0, noise.TRAIN)


class _Corner(AdversarialModel):
    """Goes to the upper corner of the ball, and asks the network on the way."""

    def attacked(self, ball, y, key):
        del key
        return Attacked(ball.at(tf.ones_like(ball.center)),
                        1e-30 * tf.reduce_sum(self.losses_of(ball.center, y)))


def _network(*layers):
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input((4,)), *layers, keras.layers.Dense(3)])


def _model(network=None, **kwargs):
    model = _Corner(network or _network(), seed=0, **{"warm_up": 0.0, **kwargs})
    model.compile(keras.optimizers.SGD(0.1))
    model.build((None, 4))
    return model


def test_loss_is_that_of_the_attacked_inputs():
    model = _model(epsilon=0.2)
    logs, prediction = model.objective(X, Y, None, KEY)
    probs = tf.nn.softmax(model.network(np.clip(X + 0.2, 0, 1))).numpy()
    nll = -np.log(probs[np.arange(20), Y])
    np.testing.assert_allclose(logs["nll"], nll.mean(), rtol=1e-5)
    np.testing.assert_allclose(prediction.mean, probs, rtol=1e-4)
    half, _ = model.objective(X, Y, np.where(Y == 0, 2.0, 0.5), KEY)
    np.testing.assert_allclose(
        half["loss"], np.mean(nll * np.where(Y == 0, 2.0, 0.5)), rtol=1e-5)


def test_radius_grows_in_a_line_over_the_first_epochs():
    model = _model(epsilon=0.4, warm_up=2.0)
    model.num_data.assign(20.0)  # 4 steps an epoch of 5 rows each.
    for step, share in ((0, 1 / 8), (3, 0.5), (7, 1.0), (50, 1.0)):
        model.optimizer.iterations.assign(step)
        np.testing.assert_allclose(model.radius(X[:5]), 0.4 * share, rtol=1e-6)
    assert _model(epsilon=0.4).radius(X) == 0.4


def test_without_a_radius_it_is_standard_training():
    model, plain = (kind(_network(keras.layers.Dropout(0.3)), seed=0,
                         prior_scale=1.0, **kwargs)
                    for kind, kwargs in ((_Corner, {"epsilon": 0.0}),
                                         (Deterministic, {})))
    for each in (model, plain):
        each.build((None, 4))
        each.num_data.assign(20.0)
    ours, theirs = (each.objective(X, Y, None, KEY)[0] for each in (model, plain))
    for name in ("loss", "nll", "kl"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-6)


def test_adversary_sees_inference_and_the_loss_training():
    norm = keras.layers.BatchNormalization(momentum=0.5)
    model = _model(_network(norm), epsilon=0.2)
    model.losses_of(X, Y)
    np.testing.assert_array_equal(norm.moving_mean, 0.0)
    model.objective(X, Y, None, KEY)  # One call in training moves them once.
    np.testing.assert_allclose(
        norm.moving_mean, 0.5 * np.clip(X + 0.2, 0, 1).mean(axis=0), rtol=1e-4)


def test_draws_are_the_network_itself():
    model = _model()
    draws = model.sample_outputs(X, 3)
    np.testing.assert_allclose(draws, np.stack([model.network(X)] * 3), rtol=1e-5)


@pytest.mark.parametrize("wrong, words", [
    ({"epsilon": -0.1}, "epsilon=-0.1"), ({"epsilon": np.nan}, "epsilon=nan"),
    ({"warm_up": -1}, "warm_up=-1"), ({"low": 1.0}, "low=1.0, high=1.0"),
    ({"likelihood": "gaussian"}, "categorical likelihood"),
    ({"likelihood": {"type": "categorical", "from_logits": False}},
     "from_logits=False")])
def test_impossible_arguments_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        _Corner(MLP((4,), (), 3), **wrong)


def test_inputs_outside_the_box_and_missing_labels_are_refused():
    model = _model()
    with pytest.raises(ValueError, match=r"in \[0.0, 1.0\].*to 2"):
        model.fit(2 * X / X.max(), Y, verbose=0)
    with pytest.raises(ValueError, match="y=None"):
        model.fit(X, verbose=0)
    _model(high=2.0).check_data(2 * X, Y)
