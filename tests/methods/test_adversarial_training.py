"""Adversarial training: what it learns from, and what it does not learn."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.methods import AdversarialTraining

RNG = np.random.default_rng(0)
Y = np.arange(400) % 2
# One pixel tells the class safely, eight more tell it together and not safely.
SIGN = 2.0 * Y[:, None] - 1.0
X = np.concatenate([0.5 + 0.35 * SIGN, 0.5 + 0.06 * SIGN + 0.02 * RNG.normal(
    size=(400, 8))], axis=1).astype("float32")


def _model(**kwargs):
    keras.utils.set_random_seed(0)
    network = keras.Sequential([keras.Input((9,)), keras.layers.Dense(2)])
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


def test_weights_that_an_attack_would_turn_shrink():
    """Where all pixels count alike, the unsafe ones grow, or shrink under attack."""
    slopes = {}
    for epsilon in (0.0, 0.2):
        model = _model(epsilon=epsilon, attack="FGSM")
        model.build((None, 9))
        model.network.set_weights([np.repeat([[-0.5, 0.5]], 9, axis=0),
                                   np.array([2.25, -2.25])])
        with tf.GradientTape() as tape:
            logs, _ = model.objective(X, Y, None, noise.key(0, noise.TRAIN))
        slope = tape.gradient(logs["loss"], model.trainable_variables[0])
        slopes[epsilon] = (slope[:, 1] - slope[:, 0]).numpy()
    assert (slopes[0.0] < 0).all() and slopes[0.2][0] < 0
    assert (slopes[0.2][1:] > 0).all()


def test_file_round_trip_keeps_attack_and_radius(tmp_path):
    model = _model(epsilon=0.25, attack={"type": "PGD", "num_steps": 3,
                                         "step_size": 0.1})
    model.build((None, 9))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert (loaded.epsilon, loaded.warm_up, loaded._attack.num_steps) == (0.25, 0.0, 3)
