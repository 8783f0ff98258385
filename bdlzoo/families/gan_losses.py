"""Losses of generative adversarial networks, by the name of their mode.

    mode      critic minimises                              generator minimises
    gan       (E softplus(-D(real)) + E softplus(D(G))) / 2   E softplus(-D(G))
    wgan      E D(G) - E D(real), then |weight| <= clip       -E D(G)
    wgan_gp   E D(G) - E D(real)
              + penalty E (||grad D(x)|| - 1)**2              -E D(G)
              x = real + u (G - real), one u ~ U(0, 1) a row

A kind of loss also says what its paper trains with: the optimiser of both networks,
the steps of the critic, the constraint on the weights of the critic, and whether the
gradient of the critic is penalised.

References: Goodfellow et al. (gan), NeurIPS 2014; Arjovsky et al. (wgan), ICML 2017;
Gulrajani et al. (wgan_gp), NeurIPS 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.families.weight_clip import WeightClip


class GANLoss:
    """Cross entropies of real and fake."""

    critic_steps = 1
    has_penalty = False

    def optimizer(self):
        """A new optimiser, for one of the two networks."""
        return keras.optimizers.Adam(2e-4, beta_1=0.5)

    def constraint(self, clip):
        """Constraint on the weights of the critic; `None` for none."""
        return None

    def of_critic(self, real, fake):
        """Loss of the critic without the penalty, from its scores `[B, 1]`."""
        return (mean(tf.nn.softplus(-real)) + mean(tf.nn.softplus(fake))) / 2.0

    def of_generator(self, fake):
        """Loss of the generator, from the scores of its vectors `[B, 1]`."""
        return mean(tf.nn.softplus(-fake))


class WGANLoss(GANLoss):
    """Wasserstein distance, by a critic with small weights."""

    critic_steps = 5

    def optimizer(self):
        return keras.optimizers.RMSprop(5e-5)

    def constraint(self, clip):
        return WeightClip(clip)

    def of_critic(self, real, fake):
        return mean(fake) - mean(real)

    def of_generator(self, fake):
        return -mean(fake)


class WGANPenaltyLoss(WGANLoss):
    """Wasserstein distance, by a critic whose gradient has a norm near 1."""

    has_penalty = True

    def optimizer(self):
        return keras.optimizers.Adam(1e-4, beta_1=0.5, beta_2=0.9)

    def constraint(self, clip):
        return None


GAN_LOSSES = {"gan": GANLoss(), "wgan": WGANLoss(), "wgan_gp": WGANPenaltyLoss()}


def gan_loss(mode):
    """The losses of a mode.

    Args:
        mode: `"gan"`, `"wgan"` or `"wgan_gp"`.
    """
    if mode not in GAN_LOSSES:
        raise ValueError(f"Expected one of {list(GAN_LOSSES)}. Received: "
                         f"mode={mode!r}")
    return GAN_LOSSES[mode]


def mean(values):
    """Mean; 0 if there are no values, as at the end of a dataset."""
    return tf.reduce_sum(values) / tf.cast(tf.maximum(tf.size(values), 1), tf.float32)
