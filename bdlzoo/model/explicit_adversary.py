"""An adversary who learns a tanh-Gaussian of perturbations for each input.

    a = tanh(u),  u = mean + softplus(rho) r,  r ~ N(0, I),   x' = ball.at(a)
    maximise  E[-log p(y | x')] + weight * entropy(a)         by signs of the slope

    d / d u    = radius (1 - a**2) d / d x' (where the box does not cut) - 2 weight a
    d / d mean = mean over draws of d / d u
    d / d rho  = sigmoid(rho) (mean over draws of r d / d u + weight / softplus(rho))

The slopes are written out, so that a step costs one gradient of the network in its
inputs, of all draws in one batch, and little else. Mean and rho start at 0. With
`accumulate` the sign is that of the sum of all slopes so far: the released code
never clears its gradients.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep
Learning, NeurIPS 2020, and its released code.
"""

import dataclasses
import math

import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.ball import slope
from bdlzoo.core.tanh_normal import TanhNormal
from bdlzoo.model.adversarial_model import Attacked


@dataclasses.dataclass(frozen=True)
class ExplicitAdversary:
    """Climbs to a law of perturbations, anew for every batch.

    Args:
        num_steps: Integer, steps of mean and rho.
        step_size: Float, their length.
        num_draws: Integer, draws in a step.
        entropy_weight: Float, of the entropy of an input.
        entropy: `"mean"` or `"sum"` over the numbers of an input.
        accumulate: Bool, see above.
    """

    num_steps: int
    step_size: float
    num_draws: int
    entropy_weight: float
    entropy: str
    accumulate: bool

    def law(self, mean, scale):
        """The law of what `learn` returns."""
        return TanhNormal(mean, scale)

    def learn(self, losses, ball, y, key):
        """Mean and scale of each number after all steps, without a gradient.

        Args:
            losses: Function of inputs and classes, returns what the adversary
                raises, `[N]`.
            ball: `Ball` around the inputs.
            y: Integer classes `[B]`.
            key: Noise key.
        """
        def step(count, mean, rho, scale, sums):
            slopes = self.slopes(losses, ball, y, mean, scale,
                                 noise.fold_in(key, count))
            return count + 1, *_climbed(mean, rho, sums, slopes, self.step_size,
                                        self.accumulate)

        start = tf.zeros_like(ball.center)
        _, mean, _, scale, _ = tf.while_loop(
            lambda count, *_: count < self.num_steps, step,
            (0, start, start, start + math.log(2.0), (start, start)),
            parallel_iterations=1)
        return tf.stop_gradient(mean), tf.stop_gradient(scale)

    def slopes(self, losses, ball, y, mean, scale, key):
        """Slopes of the objective, summed over inputs, in `mean` and `rho`."""
        labels, shape = tf.tile(y, [self.num_draws]), tf.shape(mean)
        odd = noise.odd_bytes([self.num_draws, tf.size(mean)], key)
        flat = tf.reshape(scale, [-1])
        ball = [tf.reshape(ball.center, [-1]), *ball[1:]]
        inputs, places = _moved(tf.reshape(mean, [-1]), flat, odd, *ball)
        inputs = tf.ensure_shape(tf.reshape(inputs, tf.concat(
            [[-1], shape[1:]], axis=0)), (None, *mean.shape[1:]))
        rises = slope(lambda x: tf.reduce_sum(losses(x, labels)), inputs)
        found = _slopes(tf.reshape(rises, [self.num_draws, -1]), flat, odd, places,
                        self.weight_of_each(mean), *ball)
        return [tf.ensure_shape(tf.reshape(each, shape), mean.shape) for each in found]

    def weight_of_each(self, numbers):
        """Weight of the entropy of one of the numbers `[B, ...]` of an input."""
        size = math.prod(numbers.shape[1:]) if self.entropy == "mean" else 1
        return self.entropy_weight / size

    def attacked(self, losses, ball, y, key):
        """One new draw of the law: `Attacked`, with its entropy, nats a number."""
        law = self.law(*self.learn(losses, ball, y, noise.fold_in(key, 0)))
        u = law.moved(noise.normal(tf.shape(ball.center), noise.fold_in(key, 1)))
        return Attacked(ball.at(tf.tanh(u)),
                        logs={"entropy": tf.reduce_mean(law.entropy(u))})


# By XLA, which makes one loop of each: by themselves their dozens of small operations
# take as long as a third of the passes through a small network. Noise with the first
# moments of a normal is enough for a mean; what is drawn in the end has all of them.
@tf.function(jit_compile=True, reduce_retracing=True)
def _moved(mean, scale, odd, center, radius, low, high):
    """Inputs of all draws `[S, N]`, and their places in the ball."""
    places = tf.tanh(mean + scale * noise.cubic(odd))
    return tf.clip_by_value(center + radius * places, low, high), places


@tf.function(jit_compile=True, reduce_retracing=True)
def _slopes(rises, scale, odd, places, weight, center, radius, low, high):
    """See the formulas above; `rises` are the slopes in the inputs."""
    free = center + radius * places
    inside = (low <= free) & (free <= high)
    slopes = tf.where(inside, radius * (1.0 - tf.square(places)) * rises, 0.0) - (
        2.0 * weight * places)
    turned = tf.reduce_mean(slopes * noise.cubic(odd), axis=0)
    share = -tf.math.expm1(-scale)  # That is sigmoid(rho).
    return tf.reduce_mean(slopes, axis=0), share * (turned + weight / scale)


@tf.function(jit_compile=True, reduce_retracing=True)
def _climbed(mean, rho, sums, slopes, step_size, accumulate):
    """Mean, rho, its softplus and the sums of slopes after a step."""
    sums = tuple(kept + found if accumulate else found
                 for kept, found in zip(sums, slopes))
    mean, rho = (place + step_size * tf.sign(total)
                 for place, total in zip((mean, rho), sums))
    return mean, rho, tf.math.softplus(rho), sums
