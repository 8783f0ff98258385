"""Adversarial training: what it learns from, and that it protects."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.attacks import FGSM
from bdlzoo.core import noise
from bdlzoo.methods import AdversarialTraining

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=400)
# One pixel tells the class safely, eight more tell it together and not safely.
SIGN = 2.0 * Y[:, None] - 1.0
X = np.concatenate([0.5 + 0.35 * SIGN, 0.5 + 0.06 * SIGN + 0.02 * RNG.normal(
    size=(400, 8))], axis=1).astype("float32")


def _model(start="glorot_uniform", **kwargs):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((9,)), keras.layers.Dense(
        2, kernel_initializer=start)])
    return AdversarialTraining(network, seed=0, warm_up=0.0, **kwargs)


def test_loss_is_that_of_the_attacked_inputs():
    """On a linear network the best attack is known: FGSM, to the corner."""
    model = _model(epsilon=0.1, attack={"num_steps": 8})
    model.build((None, 9))
    logs, _ = model.objective(X, Y, None, noise.key(0, noise.TRAIN))
    kernel, bias = model.network.get_weights()
    toward = np.sign(kernel[:, 0] - kernel[:, 1]) * np.where(Y, 1.0, -1.0)[:, None]
    logits = np.clip(X + 0.1 * toward, 0, 1) @ kernel + bias
    expected = tf.nn.sparse_softmax_cross_entropy_with_logits(Y, logits)
    np.testing.assert_allclose(logs["loss"], np.mean(expected), rtol=1e-5)


def test_weights_that_an_attack_would_turn_are_not_learnt():
    weights = {}
    for epsilon in (0.0, 0.2):
        model = _model("zeros", epsilon=epsilon, attack="FGSM")
        model.compile(keras.optimizers.Adam(0.05))
        model.fit(X, Y, batch_size=100, epochs=15, verbose=0)
        kernel = model.network.get_weights()[0]
        weights[epsilon] = np.abs(kernel[:, 1] - kernel[:, 0])
        attacked = FGSM(0.2)(model, X, Y)
        weights[epsilon] /= weights[epsilon][0]
        accuracy = np.mean(model.predict(attacked, verbose=0).argmax(-1) == Y)
        assert (accuracy > 0.99) == (epsilon > 0)
    assert weights[0.2][1:].mean() < 0.2 < weights[0.0][1:].mean()


def test_file_round_trip_keeps_attack_and_radius(tmp_path):
    model = _model(epsilon=0.25, attack={"type": "PGD", "num_steps": 3,
                                         "step_size": 0.1})
    model.build((None, 9))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert (loaded.epsilon, loaded.warm_up, loaded._attack.num_steps) == (0.25, 0.0, 3)
