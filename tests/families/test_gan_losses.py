"""The losses of the three kinds of adversarial networks, at known scores."""

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families.gan_losses import GAN_LOSSES, gan_loss, mean

REAL, FAKE = tf.constant([[1.0], [2.0]]), tf.constant([[-1.0], [0.5]])


@pytest.mark.parametrize("mode", ["wgan", "wgan_gp"])
def test_wasserstein_losses_are_differences_of_mean_scores(mode):
    assert float(gan_loss(mode).of_critic(REAL, FAKE)) == -0.25 - 1.5
    assert float(gan_loss(mode).of_generator(FAKE)) == 0.25


def test_losses_of_the_first_kind_are_cross_entropies():
    def entropy(label, scores):
        probs = 1 / (1 + np.exp(-scores.numpy()))
        return -np.log(probs if label else 1 - probs).mean()

    loss = gan_loss("gan")
    np.testing.assert_allclose(loss.of_critic(REAL, FAKE),
                               (entropy(1, REAL) + entropy(0, FAKE)) / 2, rtol=1e-6)
    np.testing.assert_allclose(loss.of_generator(FAKE), entropy(1, FAKE), rtol=1e-6)


@pytest.mark.parametrize("mode, limit, penalised", [
    ("gan", None, False), ("wgan", 0.2, False), ("wgan_gp", None, True)])
def test_one_kind_clips_the_critic_and_one_penalises_it(mode, limit, penalised):
    loss = gan_loss(mode)
    assert getattr(loss.constraint(0.2), "limit", None) == limit
    assert loss.has_penalty == penalised


def test_each_network_gets_an_optimiser_of_its_own():
    for loss in GAN_LOSSES.values():
        assert loss.optimizer() is not loss.optimizer()


def test_mean_of_no_values_is_zero():
    assert float(mean(tf.zeros([0, 1]))) == 0.0
    assert float(mean(tf.constant([1.0, 4.0]))) == 2.5
