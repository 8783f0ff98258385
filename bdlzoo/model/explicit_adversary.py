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
import typing

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
        start = tf.zeros_like(ball.center)
        place = self.climbed(losses, ball, y, start, start, key)
        return tf.stop_gradient(place.mean), tf.stop_gradient(place.scale)

    def climbed(self, losses, ball, y, mean, rho, key):
        """The `Place` of the law after all steps from a mean and a rho."""
        labels, shape = tf.tile(y, [self.num_draws]), tf.shape(mean)
        # The noise of all steps in one call, which shares it among the cores.
        odd = noise.odd_bytes([self.num_steps, self.num_draws, tf.size(mean)], key)
        law = [self.weight_of_each(mean), tf.reshape(ball.center, [-1]), *ball[1:]]
        mean, rho = (tf.reshape(each, [-1]) for each in (mean, rho))
        start = Place(mean, rho, tf.math.softplus(rho), *[tf.zeros_like(mean)] * 2)

        def step(count, place, inputs, turns):
            images = tf.ensure_shape(tf.reshape(inputs, tf.concat(
                [[-1], shape[1:]], axis=0)), (None, *ball.center.shape[1:]))
            rises = slope(lambda x: tf.reduce_sum(losses(x, labels)), images)
            following = tf.minimum(count + 1, self.num_steps - 1)
            return count + 1, *_stepped(
                place, tf.reshape(rises, [self.num_draws, -1]), turns, odd[count],
                odd[following], self.step_size, self.accumulate, *law)

        _, place, *_ = tf.while_loop(
            lambda count, *_: count < self.num_steps, step,
            (0, start, *_first(start, odd[0], *law)), parallel_iterations=1)
        return Place(*(tf.ensure_shape(tf.reshape(each, shape), ball.center.shape)
                       for each in place))

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


class Place(typing.NamedTuple):
    """Where the climb is, for each number, and by which slopes it goes on.

    Attributes:
        mean: Tensor.
        rho: Tensor.
        scale: Tensor, softplus of `rho`.
        mean_slope: Tensor, the last slope in `mean`, or the sum of all.
        rho_slope: Tensor, the same in `rho`.
    """

    mean: tf.Tensor
    rho: tf.Tensor
    scale: tf.Tensor
    mean_slope: tf.Tensor
    rho_slope: tf.Tensor


# All that a step does but for the network is one call of XLA, on numbers in a row: by
# themselves its dozens of small operations take a third of the time of the passes
# through a small network. Noise with the first moments of a normal is enough for a
# mean; what is drawn in the end has all of them.
@tf.function(jit_compile=True, reduce_retracing=True)
def _stepped(place, rises, turns, odd, following, step_size, accumulate, weight, center,
             radius, low, high):
    """The next place, inputs and tanh of all draws there, by slopes in the inputs."""
    slopes = _slopes(place.scale, rises, turns, odd, weight, center, radius, low, high)
    slopes = [kept + found if accumulate else found
              for kept, found in zip(place[3:], slopes)]
    mean, rho = (start + step_size * tf.sign(total)
                 for start, total in zip(place, slopes))
    place = Place(mean, rho, tf.math.softplus(rho), *slopes)
    return place, *_moved(place, following, center, radius, low, high)


@tf.function(jit_compile=True, reduce_retracing=True)
def _first(place, odd, weight, center, radius, low, high):
    """Inputs and tanh of all draws at the start."""
    del weight
    return _moved(place, odd, center, radius, low, high)


def _moved(place, odd, center, radius, low, high):
    turns = tf.tanh(place.mean + place.scale * noise.cubic(odd))  # [S, N]
    return tf.clip_by_value(center + radius * turns, low, high), turns


def _slopes(scale, rises, turns, odd, weight, center, radius, low, high):
    """See the formulas above; `rises` are the slopes in the inputs."""
    free = center + radius * turns
    inside = (low <= free) & (free <= high)
    slopes = tf.where(inside, radius * (1.0 - tf.square(turns)) * rises, 0.0) - (
        2.0 * weight * turns)
    turned = tf.reduce_mean(slopes * noise.cubic(odd), axis=0)
    share = -tf.math.expm1(-scale)  # That is sigmoid(rho).
    return tf.reduce_mean(slopes, axis=0), share * (turned + weight / scale)
