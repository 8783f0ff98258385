"""Direct optimisation through the arg max: two draws that share their noise.

    z_opt    = argmax(potentials + gamma),    gamma ~ Gumbel
    z_dir    = argmax(potentials + gamma - epsilon loss)        the same gamma
    gradient = (onehot(z_opt) - onehot(z_dir)) / epsilon

Codes stay discrete in training. For one variable the mean over the noise is a forward
difference, for every epsilon:

    (softmax(potentials) - softmax(potentials - epsilon loss)) / epsilon

So the bias falls as epsilon, and the variance rises as 1 / epsilon only, since the
draws share their noise. With two sides the draws of epsilon and of -epsilon are
compared, and the bias falls as epsilon squared.

Where losses differ by many times 1 / epsilon, z_dir is the best code whatever the
potentials are: the gradient is then that of a cross entropy to this code, divided by
epsilon. A penalty of the potentials, such as a KL, outweighs it if epsilon is large.

Several variables are treated one at a time: the others stay at z_opt, which is a draw
of them, as the variables are independent.

Reference: Lorberbom, Gane, Jaakkola and Hazan, Direct Optimization through arg max for
Discrete Variational Auto-Encoder, NeurIPS 2019.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.estimators.estimator import (
    Estimator,
    hardened,
    loaded,
    perturbed,
    saved,
    schedule_or_number,
    value_at,
    with_gradient,
)


@keras.saving.register_keras_serializable(package="bdlzoo")
class DirectOptimization(Estimator):
    """Compares the best code with the best one for a lower loss, by the same noise.

    Args:
        epsilon: Float that is not 0, weight of the loss in the second arg max, or a
            schedule over steps such as `bdlzoo.ExponentialFall` (also a dictionary
            with its name as `type`). Small values have little bias and much variance.
        two_sided: Bool, whether the draws of epsilon and of -epsilon are compared,
            which has less bias.

    Example:

        estimator = bdlzoo.estimators.DirectOptimization(epsilon=0.5)
        loss = tf.reduce_mean(estimator(potentials, loss_of, key))
    """

    def __init__(self, epsilon=0.1, two_sided=False):
        self.epsilon = schedule_or_number(
            "epsilon", epsilon, lambda value: value != 0 and math.isfinite(value),
            "a finite number that is not 0")
        self.two_sided = two_sided

    def __call__(self, potentials, loss, key, step=0, num_samples=1):
        noisy = tf.stop_gradient(perturbed(potentials, key, num_samples))
        codes = hardened(noisy)  # [S, B, N, K]
        losses, table = losses_around(codes, loss)
        epsilon = value_at(self.epsilon, step)
        slopes = self.slopes(codes, lambda shift: hardened(
            noisy - shift * tf.stop_gradient(table)), epsilon)
        return with_gradient(tf.reduce_mean(losses, axis=0), potentials,
                             tf.reduce_mean(slopes, axis=0))

    def slopes(self, codes, solve, epsilon):
        """The estimate, in the features of codes.

        Args:
            codes: Features of z_opt.
            solve: Function from a weight of the loss to the features of its arg max.
            epsilon: The weight.
        """
        if self.two_sided:
            return (solve(-epsilon) - solve(epsilon)) / (2.0 * epsilon)
        return (codes - solve(epsilon)) / epsilon

    def toward(self, potentials, codes, key, step=0, num_samples=1):
        """Draws potentials to given codes, which take the place of z_dir.

        Args:
            potentials: Tensor `[B, N, K]`.
            codes: One-hot codes `[B, N, K]`, such as labels.
            key: Key of the noise.
            step: Integer or scalar tensor, the step of training.
            num_samples: Integer, draws that are averaged.

        Returns:
            Tensor `[B]`: how many variables of a draw differ from the codes. Its
            gradient is that of direct loss minimisation.
        """
        found = hardened(tf.stop_gradient(perturbed(potentials, key, num_samples)))
        gap = tf.reduce_mean(found, axis=0) - codes
        wrong = 0.5 * tf.reduce_sum(
            tf.reduce_mean(tf.abs(found - codes), axis=0), axis=[-2, -1])
        return with_gradient(wrong, potentials, gap / value_at(self.epsilon, step))

    def get_config(self):
        return {"epsilon": saved(self.epsilon), "two_sided": self.two_sided}

    @classmethod
    def from_config(cls, config):
        return cls(**loaded(config, "epsilon"))


def losses_around(codes, loss):
    """Losses of codes `[S, B]`, and of all that differ in one variable.

    Args:
        codes: One-hot codes `[S, B, N, K]`.
        loss: Function as estimators take it.

    Returns:
        Losses `[S, B]`, and a table `[S, B, N, K]` of the losses of each value of each
        variable, the others being as they are.
    """
    variables, values = codes.shape[-2:]
    if variables == 1:
        # All rows share these codes: they are decoded once.
        every = tf.eye(values, dtype=codes.dtype)[:, None, None]  # [K, 1, 1, K]
        table = tf.transpose(loss(every))[:, None]  # [B, 1, K]
        return tf.reduce_sum(codes * table, axis=[-2, -1]), table + tf.zeros_like(codes)
    losses = loss(codes)
    turned = tf.stack([tf.roll(codes, turn, axis=-1)
                       for turn in range(1, values)])  # [K - 1, S, B, N, K]
    one = tf.eye(variables, dtype=codes.dtype)[:, None, None, :, None]
    flips = codes + one * (turned - codes)[:, None]  # [K - 1, N, S, B, N, K]
    found = loss(tf.reshape(flips, tf.concat(
        [[-1], tf.shape(codes)[1:]], axis=0)))  # [(K - 1) N S, B]
    found = tf.reshape(found, tf.concat(
        [[values - 1, variables], tf.shape(losses)], axis=0))
    table = (losses[..., None, None] * codes
             + tf.einsum("jnsb,jsbnk->sbnk", found, turned))
    return losses, table
