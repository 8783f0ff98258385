"""Adversary that fits a tanh-Gaussian of perturbations to each input.

    a = tanh(u),  u = mean + softplus(rho) r,  r ~ N(0, I),   x' = ball.at(a)
    maximise  E[-log p(y | x')] + weight * entropy(a)         by signs of the slope

    d / d u    = radius (1 - a**2) d / d x' (where the box does not cut) - 2 weight a
    d / d mean = mean over draws of d / d u
    d / d rho  = sigmoid(rho) (mean over draws of r d / d u + weight / softplus(rho))

The slopes are computed in closed form, so that a step costs one gradient of the network
in its inputs, for all draws in one batch, and little else. Mean and rho start at 0.
With `accumulate` the sign is that of the sum of all slopes so far, as in the released
code, which never clears its gradients.

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
from bdlzoo.families.adversarial_model import Attacked


@dataclasses.dataclass(frozen=True)
class ExplicitAdversary:
    """Fits a new distribution of perturbations for every batch.

    Args:
        num_steps: Integer, steps of mean and rho.
        step_size: Float, length of a step.
        num_draws: Integer, draws in a step.
        entropy_weight: Float, weight of the entropy of an input.
        entropy: `"mean"` or `"sum"` over the numbers of an input.
        accumulate: Bool, whether a step follows the sum of all slopes so far.
    """

    num_steps: int
    step_size: float
    num_draws: int
    entropy_weight: float
    entropy: str
    accumulate: bool

    def law(self, mean, scale):
        """The distribution with the parameters that `learn` returns."""
        return TanhNormal(mean, scale)

    def learn(self, losses, ball, y, key):
        """Mean and scale of each number after all steps, without a gradient.

        Args:
            losses: Function of inputs and classes that returns the losses `[N]`
                which the adversary maximises.
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
        # The noise of all steps in one call, which uses all cores.
        odd = noise.odd_bytes([self.num_steps, self.num_draws, tf.size(mean)], key)
        weight, flat = self.weight_of_each(mean), ball._replace(
            center=tf.reshape(ball.center, [-1]))
        mean, rho = (tf.reshape(each, [-1]) for each in (mean, rho))
        start = Place(mean, rho, tf.math.softplus(rho), *[tf.zeros_like(mean)] * 2)

        def step(count, place, inputs, turns):
            inputs = tf.reshape(inputs, (-1, *ball.center.shape[1:]))
            rises = slope(lambda x: tf.reduce_sum(losses(x, labels)), inputs)
            following = tf.minimum(count + 1, self.num_steps - 1)
            return count + 1, *_stepped(
                place, tf.reshape(rises, [self.num_draws, -1]), turns, odd[count],
                odd[following], flat, weight, self.step_size, self.accumulate)

        _, place, *_ = tf.while_loop(
            lambda count, *_: count < self.num_steps, step,
            (0, start, *_moved(start, odd[0], flat)), parallel_iterations=1)
        return Place(*(tf.ensure_shape(tf.reshape(each, shape), ball.center.shape)
                       for each in place))

    def weight_of_each(self, numbers):
        """Weight of the entropy of one of the numbers `[B, ...]` of an input."""
        size = math.prod(numbers.shape[1:]) if self.entropy == "mean" else 1
        return self.entropy_weight / size

    def attacked(self, losses, ball, y, key):
        """One draw: `Attacked`, with the entropy in nats for each number."""
        law = self.law(*self.learn(losses, ball, y, noise.fold_in(key, 0)))
        normals = noise.normal(tf.shape(ball.center), noise.fold_in(key, 1))
        inputs, entropy = _drawn(law, normals, ball)
        return Attacked(inputs, logs={"entropy": entropy})


class Place(typing.NamedTuple):
    """State of the fit: parameters of each number, and slopes.

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


# The work of a step outside of the network is one call of XLA on flat tensors: as
# separate operations it takes a third of the time of the passes through a small
# network. Noise with the first moments of a normal is enough for a mean; the final
# draw uses true normals.
@tf.function(jit_compile=True)
def _stepped(place, rises, turns, odd, following, ball, weight, step_size, accumulate):
    """The next place, and its inputs and turns, from slopes in the inputs."""
    slopes = _slopes(place.scale, rises, turns, odd, ball, weight)
    slopes = [kept + found if accumulate else found for kept, found in zip(
        (place.mean_slope, place.rho_slope), slopes)]
    mean, rho = (start + step_size * tf.sign(total) for start, total in zip(
        (place.mean, place.rho), slopes))
    place = Place(mean, rho, tf.math.softplus(rho), *slopes)
    return place, *_moved(place, following, ball)


@tf.function(jit_compile=True)
def _moved(place, odd, ball):
    """Inputs of all draws `[S, N]`, and their places in the ball, tanh of `u`."""
    turns = tf.tanh(place.mean + place.scale * noise.cubic(odd))
    return ball.at(turns), turns


@tf.function(jit_compile=True)
def _drawn(law, normals, ball):
    """Inputs of one draw, and the entropy, mean over numbers."""
    u = law.moved(normals)
    return ball.at(tf.tanh(u)), tf.reduce_mean(law.entropy(u))


def _slopes(scale, rises, turns, odd, ball, weight):
    """Slopes in mean and rho, from the slopes in the inputs, `rises`."""
    free = ball.center + ball.radius * turns
    inside = (ball.low <= free) & (free <= ball.high)
    slopes = tf.where(inside, ball.radius * (1.0 - tf.square(turns)) * rises, 0.0) - (
        2.0 * weight * turns)
    turned = _mean(slopes * noise.cubic(odd))
    share = -tf.math.expm1(-scale)  # That is sigmoid(rho).
    return _mean(slopes), share * (turned + weight / scale)


def _mean(draws):
    """Mean over the first axis, as a sum of slices: XLA fuses it into one loop."""
    return tf.add_n(tf.unstack(draws)) / len(draws)
