"""Auto-PGD: projected gradient steps whose length the attack chooses itself.

    z_{t+1} = project(x_t + size * sign(grad gain(x_t)))
    x_{t+1} = project(x_t + a (z_{t+1} - x_t) + (1 - a) (x_t - x_{t-1}))
    a       = 0.75, and 1 in the first step;     size = 2 epsilon at first

At checkpoints, after 22 % of the steps and then at shorter and shorter distances, each
row is judged by itself. Its size is halved, and it goes on from its best point, if

    - the gain rose in less than 75 % of the steps since the last checkpoint, or
    - neither its size nor its best gain changed since the last checkpoint.

Every step has new draws of the posterior, so that gains of a model with few draws are
noisy. Each row keeps the point of the highest gain, of those that are misclassified if
there are any.

Reference: Croce and Hein, Reliable Evaluation of Adversarial Robustness with an
Ensemble of Diverse Parameter-free Attacks, ICML 2020.
"""

import typing

import tensorflow as tf

from bdlzoo.attacks.step_attack import StepAttack, is_better
from bdlzoo.core import noise, registry

_MOMENTUM, _RISING = 0.75, 0.75
# Shares of the steps: the first distance of checkpoints, by how much the next one is
# shorter, and the shortest.
_FIRST, _SHORTER, _SHORTEST = 0.22, 0.03, 0.06


class _Points(typing.NamedTuple):
    """Points `[B, ...]` with their gains, successes `[B]` and gradients."""

    x: typing.Any
    gain: typing.Any
    reached: typing.Any
    gradient: typing.Any

    @property
    def worth(self):
        """Success first, and then the gain."""
        return self.reached, self.gain

    def where(self, chosen, other):
        """These points in the rows that are chosen, others in the rest."""
        spread = tf.reshape(chosen, [-1] + [1] * (len(self.x.shape) - 1))
        return _Points(tf.where(spread, self.x, other.x),
                       tf.where(chosen, self.gain, other.gain),
                       tf.where(chosen, self.reached, other.reached),
                       tf.where(spread, self.gradient, other.gradient))


@registry.register
class APGD(StepAttack):
    """Attacks with steps that are halved where they no longer help.

    There is no length of a step to choose. With `loss="DLRLoss"` it needs three classes
    or more; for two classes use `"MarginLoss"`.

    Args:
        epsilon: Float, radius of the ball.
        num_steps: Integer, number of steps from every start.
        random_start: Bool, whether to start at a random point of the ball, and not at
            the input.
        num_restarts: Integer, number of starts; each row keeps the best one.
        start_scale: Float, standard deviation of normal starts around the input;
            `None` for uniform starts in the ball.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Bool, whether `y` are the classes that the attack should reach.
        num_samples: Integer, draws of a zoo model in every gradient. A plain Keras
            model has no draws.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.
        evasion: Float, weight of the mutual information of the draws, which the attack
            lowers.
        loss: `AttackLoss` that the attack raises, or its spec: `"CrossEntropyLoss"`,
            `"MarginLoss"`, `"DLRLoss"`, `"DivergenceLoss"` or `"TransportLoss"`.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Example:

    ```python
    attack = APGD(epsilon=8 / 255, loss="DLRLoss")
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, num_steps=100, random_start=True, num_restarts=1,
                 start_scale=None, low=0.0, high=1.0, targeted=False, num_samples=1,
                 from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        # The length of the first step is that of `settings`, which may change.
        super().__init__(epsilon, 1.0, num_steps, random_start, num_restarts,
                         start_scale, low, high, targeted, num_samples, from_logits,
                         evasion, loss, jit_compile)
        self.check_settings()

    def settings(self):
        return {**super().settings(), "step_size": 2.0 * float(self.epsilon)}

    def worth(self, model, x, y, key, clean):
        gain, reached = self.outcome(model, x, y, key, clean)
        return reached, gain

    def climb(self, model, x, y, seed, restart, clean, epsilon, low, high, step_size,
              num_steps):
        def at(place, step):
            key = noise.key(seed, noise.ATTACK, restart, step)
            return _Points(place, *self.slope(model, place, y, key, clean))

        def inside(place):
            return self.project(place, x, epsilon, low, high)

        window, shorter, shortest = (
            tf.maximum(tf.cast(share * tf.cast(num_steps, tf.float32), tf.int32), 1)
            for share in (_FIRST, _SHORTER, _SHORTEST))
        # Steps count from 0, so that -1 is the stream of the start.
        key = noise.key(seed, noise.ATTACK, restart, -1)
        here = at(self.start(x, key, epsilon, low, high), 0)
        before, best, found = here.x, here, here
        size = tf.fill([tf.shape(x)[0]] + [1] * (len(x.shape) - 1), step_size)
        rises, waited = tf.zeros_like(here.gain), 0
        halved, best_then = tf.zeros_like(here.reached), here.gain
        for step in tf.range(1, num_steps + 1):
            goal = inside(here.x + size * tf.sign(here.gradient))
            share = tf.where(step == 1, 1.0, _MOMENTUM)
            moved = at(inside(here.x + share * (goal - here.x)
                              + (1.0 - share) * (here.x - before)), step)
            rises += tf.cast(moved.gain > here.gain, rises.dtype)
            best = moved.where(moved.gain > best.gain, best)
            found = moved.where(is_better(moved.worth, found.worth), found)
            waited += 1
            due = waited >= window
            halves = due & ((rises < _RISING * tf.cast(window, rises.dtype))
                            | (~halved & (best.gain <= best_then)))
            # The way to the best point is no direction: there is no momentum from it.
            before = best.where(halves, here).x
            here = best.where(halves, moved)
            size = tf.where(tf.reshape(halves, tf.shape(size)), 0.5 * size, size)
            halved = tf.where(due, halves, halved)
            best_then = tf.where(due, best.gain, best_then)
            rises = tf.where(due, 0.0, rises)
            waited = tf.where(due, 0, waited)
            window = tf.where(due, tf.maximum(window - shorter, shortest), window)
        return found.x
