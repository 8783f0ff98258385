"""What all attacks owe: averaged gradients, clear errors, no second trace."""

import gc
import weakref

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.attacks.carlini_wagner import CarliniWagner
from bdlzoo.attacks.fgsm import FGSM
from bdlzoo.attacks.mim import MIM
from bdlzoo.attacks.pgd import PGD
from bdlzoo.core import noise
from bdlzoo.likelihoods import Categorical
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP

ATTACKS = [FGSM(0.1), PGD(0.1, 0.03, 4, num_restarts=2),
           MIM(0.1, 0.03, 4), CarliniWagner(0.1, 0.03, 4)]
rng = np.random.default_rng(0)
X = rng.uniform(size=(6, 4)).astype("float32")
Y = np.array([0, 1, 2, 0, 1, 2])
WEIGHTS = rng.normal(size=(4, 3)).astype("float32")


class Draws:
    """Stands in for a zoo model: linear, with a Gaussian over its weights."""

    likelihood = Categorical()

    def weights(self, num_samples, key):
        return WEIGHTS + 2.0 * noise.normal([num_samples, 4, 3], key)

    def draw(self, inputs, num_samples, key):
        return tf.einsum("bd,sdc->sbc", inputs, self.weights(num_samples, key))


def _network(*layers):
    """A small network, the same in every test; `layers` stand in front."""
    keras.utils.set_random_seed(0)
    return keras.Sequential([
        keras.Input((4,)), *layers, keras.layers.Dense(8, "tanh"),
        keras.layers.Dense(3)])


NETWORK = _network()  # Shared, so that each attack is traced once for it.


def _slope(weights):
    """Gradient of `-log mean_s p(y | x, w_s)` in x, by hand in float64."""
    weights = np.asarray(weights, "float64")
    logits = np.einsum("bd,sdc->sbc", X, weights)
    probs = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    own = np.take_along_axis(probs, np.tile(Y[:, None], (len(probs), 1, 1)), 2)
    of_own = weights[:, :, Y].transpose(0, 2, 1)  # [S, B, D]
    slopes = own * (of_own - np.einsum("sbc,sdc->sbd", probs, weights))
    return -slopes.sum(0) / own.sum(0)


@pytest.mark.parametrize("num_samples", [1, 8])
def test_gradient_is_that_of_the_mean_probability(num_samples):
    key = noise.key(5, noise.ATTACK, 0, 0)
    attack = FGSM(0.1, num_samples=num_samples)
    gradient = attack.gradient(Draws(), tf.constant(X), tf.constant(Y), key)
    weights = Draws().weights(num_samples, key)
    np.testing.assert_allclose(gradient, _slope(weights), rtol=1e-4, atol=1e-5)
    one = _slope(weights[:1])
    assert np.allclose(gradient, one, atol=1e-4) == (num_samples == 1)


def test_averaged_attack_differs_from_the_attack_on_one_draw():
    averaged = FGSM(0.1, num_samples=8)(Draws(), X, Y)
    single = FGSM(0.1, num_samples=1)(Draws(), X, Y)
    assert np.abs(averaged - single).max() > 0.01


def test_gain_of_draws_is_minus_log_mean_probability():
    key = noise.key(3)
    gain = FGSM(0.1, num_samples=4).gain(Draws(), X, Y, key)
    probs = tf.nn.softmax(Draws().draw(X, 4, key)).numpy()
    mean = probs.mean(0)[np.arange(6), Y]
    np.testing.assert_allclose(gain, -np.log(mean), rtol=1e-5)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("model", [NETWORK, Draws()], ids=["keras", "zoo"])
def test_result_stays_in_ball_and_box_and_seeds_reproduce(attack, model):
    x = np.concatenate([X, np.zeros_like(X), np.ones_like(X)])
    y = np.tile(Y, 3)
    found = attack(model, x, y, seed=1)
    assert found.shape == x.shape and found.dtype == tf.float32
    change = np.abs(found - x).max()
    assert 0.09 < change <= 0.1 + 1e-6
    assert found.numpy().min() >= 0.0 and found.numpy().max() <= 1.0
    np.testing.assert_array_equal(attack(model, x, y, seed=1), found)
    chance = not isinstance(attack, FGSM) or isinstance(model, Draws)
    assert np.array_equal(attack(model, x, y, seed=2), found) != chance


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_radius_returns_the_input_itself(attack, monkeypatch):
    monkeypatch.setattr(attack, "epsilon", 0.0)
    np.testing.assert_array_equal(attack(NETWORK, X, Y), X)


@pytest.mark.parametrize("attack", ATTACKS[:2])
def test_batch_statistics_do_not_move(attack):
    network = _network(keras.layers.BatchNormalization(), keras.layers.Dropout(0.5))
    before = [w.numpy() for w in network.weights]
    first = attack(network, X, Y)
    for old, new in zip(before, network.weights, strict=True):
        np.testing.assert_array_equal(old, new)
    np.testing.assert_array_equal(first, attack(network, X, Y))


@pytest.mark.parametrize("attack", [FGSM(0.1), PGD(0.1, 0.03, 5)])
def test_second_batch_seed_or_radius_is_not_traced_again(attack):
    class Counted(keras.layers.Layer):
        calls = 0

        def call(self, inputs):
            type(self).calls += 1
            return inputs

    network = _network(Counted())
    first = attack(network, X, Y, seed=0)
    calls = Counted.calls
    attack(network, 1.0 - X, Y[::-1], seed=1)
    attack.epsilon = 0.2
    second = attack(network, X, Y, seed=0)
    assert Counted.calls == calls > 0
    assert np.abs(first - X).max() < 0.11
    assert np.abs(second - X).max() > 0.15


def test_one_attack_serves_many_models_and_keeps_none():
    attack = FGSM(0.1)
    network, other = _network(), _network(keras.layers.Rescaling(-1.0))
    first, second = attack(network, X, Y), attack(other, X, Y)
    assert np.abs(first - second).max() > 0.1
    np.testing.assert_array_equal(first, attack(network, X, Y))
    gone = weakref.ref(network)
    del network
    gc.collect()
    assert gone() is None


def test_probabilities_give_the_attack_that_logits_give():
    softmax = keras.Sequential([NETWORK, keras.layers.Softmax()])
    np.testing.assert_allclose(FGSM(0.1, from_logits=False)(softmax, X, Y),
                               ATTACKS[0](NETWORK, X, Y), atol=1e-6)


@pytest.mark.parametrize("attack", ATTACKS[:2])
def test_attack_inside_a_train_step_is_the_same(attack):
    inside = tf.function(lambda x, y: attack(NETWORK, x, y, seed=3))
    np.testing.assert_allclose(inside(X, Y), attack(NETWORK, X, Y, seed=3),
                               atol=1e-6)


def test_model_that_is_not_built_yet_is_built():
    network = keras.Sequential([keras.layers.Dense(3)])
    assert FGSM(0.1)(network, X, Y).shape == X.shape


def test_model_that_is_not_ready_is_not_attacked():
    class Sampler(Draws):
        def build_once(self, x):
            self.built = True

        def check_ready(self):
            raise ValueError("Expected at least one kept sample.")

    with pytest.raises(ValueError, match="one kept sample"):
        FGSM(0.1)(Sampler(), X, Y)


def test_labels_may_be_a_column():
    np.testing.assert_array_equal(ATTACKS[0](NETWORK, X, Y[:, None]),
                                  ATTACKS[0](NETWORK, X, Y))


@pytest.mark.parametrize("x, y, message", [
    (X, None, "y=None"),
    (X, Y[:3], "y.shape"),
    (X, np.eye(3)[Y], "y.shape"),
    (X, Y + 1, "from 0 to 2"),
    (X, Y - 1, "from 0 to 2"),
    (X, Y + 0.5, "from 0 to 2"),
    (X + 0.5, Y, "Received: x with values"),
    (X - 0.5, Y, "Received: x with values"),
    (np.where(X > 0.5, np.nan, X), Y, "Received: x with values"),
])
@pytest.mark.parametrize("model", [NETWORK, Draws()], ids=["keras", "zoo"])
def test_wrong_data_are_refused(model, x, y, message):
    with pytest.raises(ValueError, match=message):
        FGSM(0.1)(model, x, y)


def test_model_with_one_output_is_refused():
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    with pytest.raises(ValueError, match="two numbers or more"):
        FGSM(0.1)(network, X, np.zeros(6))


@pytest.mark.parametrize("wrong, message", [
    ({"epsilon": -0.1}, "epsilon=-0.1"),
    ({"epsilon": float("nan")}, "epsilon=nan"),
    ({"low": 1.0}, "low=1.0"),
    ({"num_samples": 0}, "num_samples=0"),
])
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Attack(**{"epsilon": 0.1, **wrong}).check_settings()


def test_evasion_takes_the_disagreement_off_the_gain():
    model = MCDropout(MLP((4,), (16,), 3, dropout=0.5), seed=0)
    model.build((None, 4))
    x, y = tf.constant(X[:4]), tf.constant([0, 1, 2, 0])
    key = noise.key(3)
    plain = FGSM(0.1, num_samples=8).gain(model, x, y, key)
    minding = FGSM(0.1, num_samples=8, evasion=2.0).gain(model, x, y, key)
    prediction = model.likelihood.prediction(model.draw(x, 8, key))
    assert prediction.mutual_information.min() > 0
    np.testing.assert_allclose(minding, plain - 2.0 * prediction.mutual_information,
                               rtol=1e-5)


@pytest.mark.parametrize("options", [dict(evasion=-1.0), dict(evasion=1.0)])
def test_evasion_needs_draws_that_can_disagree(options):
    with pytest.raises(ValueError, match="two draws or more"):
        FGSM(0.1, **options)


@pytest.mark.parametrize("from_logits, message", [
    (True, "Expected logits .*from_logits=True, and rows that are probabilities"),
    (False, "Expected probabilities .*and rows that are not probabilities")])
def test_what_a_plain_model_gives_must_be_what_is_told(from_logits, message):
    softmax = keras.Sequential([NETWORK, keras.layers.Softmax()])
    with pytest.raises(ValueError, match=message):
        FGSM(0.1, from_logits=from_logits)(softmax if from_logits else NETWORK, X, Y)


class Steps(keras.layers.Layer):
    """No gradient at all, or one that is zero everywhere."""

    def __init__(self, bend, **kwargs):
        super().__init__(**kwargs)
        self.bend = bend

    def call(self, inputs):
        return self.bend(inputs)


@pytest.mark.parametrize("bend, found", [(tf.round, "None"), (tf.sign, "zero")])
def test_layer_without_a_gradient_is_named(bend, found):
    network = _network(keras.layers.Dense(4), Steps(bend, name="stops"))
    with pytest.raises(ValueError, match=f"gradient of {found}; layer 'stops' stops"):
        FGSM(0.1)(network, X, Y)
    model = MCDropout(_network(Steps(bend, name="stops"), keras.layers.Dropout(0.5)))
    with pytest.raises(ValueError, match=f"gradient of {found}; layer 'stops' stops"):
        FGSM(0.1)(model, X, Y)


def test_blank_inputs_of_a_rectifier_are_no_model_without_gradient():
    network = _network(keras.layers.Dense(4, "relu"))
    assert FGSM(0.1)(network, np.zeros_like(X), Y).shape == X.shape


def test_a_sure_network_can_be_attacked():
    """The gradient of its cross entropy is zero in float32, that of scores is not."""
    network = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    network.layers[0].set_weights([1e4 * WEIGHTS, np.zeros(3)])
    found = FGSM(0.1, loss="dlr_loss")(network, X, np.argmax(network(X), -1))
    np.testing.assert_allclose(abs(found - X).numpy().max(axis=1), 0.1, atol=1e-6)


def test_losses_are_climbed_by_their_own_gradients():
    """One step of FGSM on a linear model, against the slope of each loss."""
    weights = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    kernel = weights.layers[0].get_weights()[0].astype("float64")
    scores = np.asarray(weights(X), "float64")
    best = np.where(np.eye(3)[Y] > 0, -np.inf, scores).argmax(-1)
    slope = (kernel[:, best] - kernel[:, Y]).T
    step = np.clip(X + 0.1 * np.sign(slope), 0.0, 1.0)
    np.testing.assert_allclose(FGSM(0.1, loss="margin_loss")(weights, X, Y), step,
                               atol=1e-6)
    # The divergence is flat at the input: a start beside it finds the way.
    beside = PGD(0.1, 0.02, 10, loss="divergence_loss", start_scale=1e-3)
    moved = tf.nn.log_softmax(weights(beside(weights, X, Y))).numpy()
    before = tf.nn.log_softmax(weights(X)).numpy()
    assert ((np.exp(before) * (before - moved)).sum(-1) > 1e-4).all()


def test_compiled_attack_is_the_plain_one():
    found = [PGD(0.1, 0.03, 4, num_samples=2, jit_compile=jit)(Draws(), X, Y, seed=1)
             for jit in (False, True)]
    np.testing.assert_allclose(*found, atol=1e-6)
