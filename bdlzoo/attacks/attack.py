"""What every attack in an L-infinity ball shares.

    gain(x) = -log mean_s p(y | x, w_s)              or minus that, if targeted
              - evasion * mutual information of the draws
    project(x) = clip(clip(x, x_0 - epsilon, x_0 + epsilon), low, high)

The mean over draws is taken inside the tape: the gradient of one draw is that
of another network, and a model looks robust when it is only noisy. Models are
always called with `training=False`. With `evasion` the attacker knows that draws
which disagree give him away, and keeps them together.
"""

import weakref

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.model import disagreement


class Attack:
    """Moves inputs inside a ball so that a classifier errs.

    A subclass writes `perturb`, and adds to `settings` and `check_settings`
    what it needs. `settings` enter the compiled attack as tensors: they may be
    changed between calls, and nothing is traced again.

    Args:
        epsilon: Float, radius of the ball; `high - low` leaves only the box.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Boolean; `True` reads `y` as the classes to end in.
        num_samples: Integer, draws of a zoo model in every gradient. A plain
            Keras model has none.
        from_logits: Boolean, whether a plain Keras model returns logits, or
            probabilities. A zoo model knows by itself.
        evasion: Float, weight of the mutual information in the gain.

    Call arguments:
        model: Keras classifier, or zoo model with `draw` and `likelihood`.
        x: Inputs `[B, ...]` inside `[low, high]`.
        y: Integer classes `[B]`.
        seed: Integer, or a pair of them.

    Returns:
        Tensor like `x`.
    """

    def __init__(self, epsilon, low=0.0, high=1.0, targeted=False, num_samples=1,
                 from_logits=True, evasion=0.0):
        self.epsilon = epsilon
        self.low = low
        self.high = high
        self.targeted = targeted
        self.num_samples = num_samples
        self.from_logits = from_logits
        self.evasion = evasion
        # Weak, so that an attack does not keep every model it has met.
        self._functions = weakref.WeakKeyDictionary()
        self._num_classes = weakref.WeakKeyDictionary()

    def perturb(self, model, x, y, seed, **settings):
        """Returns the attacked inputs; runs in a graph."""
        raise NotImplementedError

    def settings(self):
        """Numbers that reach `perturb` as tensors."""
        return {"epsilon": float(self.epsilon), "low": float(self.low),
                "high": float(self.high)}

    def check_settings(self):
        """Raises where a number makes no sense."""
        if not 0 <= self.epsilon < float("inf"):
            raise ValueError("Expected a finite radius, zero or more. "
                             f"Received: epsilon={self.epsilon}")
        if not self.low < self.high:
            raise ValueError("Expected `low` below `high`. Received: "
                             f"low={self.low}, high={self.high}")
        if self.num_samples < 1:
            raise ValueError("Expected one draw or more. "
                             f"Received: num_samples={self.num_samples}")
        if self.evasion < 0 or self.evasion and self.num_samples < 2:
            raise ValueError(
                "Expected a weight that is not negative, and two draws or more that "
                f"can disagree. Received: evasion={self.evasion}, "
                f"num_samples={self.num_samples}")

    def __call__(self, model, x, y, seed=0):
        self.check_settings()
        if y is None:
            raise ValueError("Expected integer classes [B]; without labels, pass "
                             "the predicted ones. Received: y=None")
        x = tf.cast(tf.convert_to_tensor(x), tf.float32)
        y = tf.convert_to_tensor(y)
        if tf.executing_eagerly():  # Inside a train step there are no values.
            self._check_data(model, x, y)
        if model not in self._functions:
            self._functions[model] = self._compile(model)
        settings = tf.nest.map_structure(tf.constant, self.settings())
        return self._functions[model](
            x, tf.reshape(tf.cast(y, tf.int32), [-1]),
            tf.convert_to_tensor(seed, tf.int32), settings)

    def _compile(self, model):
        model = weakref.ref(model)

        @tf.function(reduce_retracing=True)
        def run(x, y, seed, settings):
            return self.perturb(model(), x, y, seed, **settings)

        return run

    def _check_data(self, model, x, y):
        x_low, x_high = tf.reduce_min(x).numpy(), tf.reduce_max(x).numpy()
        if len(x) and not self.low <= x_low <= x_high <= self.high:
            raise ValueError(
                f"Expected inputs in [{self.low}, {self.high}]; scale them, or "
                "give the attack the box they live in. Received: x with values "
                f"from {x_low} to {x_high}")
        if y.shape not in ((len(x),), (len(x), 1)):
            raise ValueError("Expected one integer class for each input. "
                             f"Received: x.shape={x.shape}, y.shape={y.shape}")
        if hasattr(model, "check_ready"):  # A sampler may have no draws yet.
            model.build_once(x)
            model.check_ready()
        if model not in self._num_classes:
            self._num_classes[model] = self._count_classes(model, x)
        classes, count = np.unique(y), self._num_classes[model]
        if not np.isin(classes, np.arange(count)).all():
            raise ValueError(f"Expected integer classes from 0 to {count - 1}. "
                             f"Received: y with values {classes}")

    def _count_classes(self, model, x):
        if hasattr(model, "draw"):
            shape = model.draw(x[:1], 1, noise.key(0, noise.ATTACK)).shape[1:]
        else:
            # Also builds a model that waits for its input shape.
            shape = model(x[:1], training=False).shape
        if len(shape) != 2 or shape[1] < 2:
            raise ValueError(
                "Expected a classifier that returns two numbers or more for "
                f"each input. Received: outputs of shape {shape}")
        return shape[1]

    def gain(self, model, x, y, key):
        """What the attack raises, `[B]`."""
        if not hasattr(model, "draw"):
            log_prob = tf.cast(self._plain_log_prob(model, x, y), tf.float32)
            return log_prob if self.targeted else -log_prob
        draws = model.draw(x, self.num_samples, key)  # [S, B, C]
        log_probs = model.likelihood.log_prob(y, draws)  # [S, B]
        log_prob = tf.cast(tf.reduce_logsumexp(log_probs, axis=0) - tf.math.log(
            float(self.num_samples)), tf.float32)
        gain = log_prob if self.targeted else -log_prob
        if self.evasion:
            gain -= self.evasion * disagreement.information(
                model.likelihood.prediction(draws))
        return gain

    def gradient(self, model, x, y, key):
        """Gradient of the gain in `x`."""
        with tf.GradientTape() as tape:
            tape.watch(x)
            # A sum: rows do not scale one another, and no sign underflows.
            gain = tf.reduce_sum(self.gain(model, x, y, key))
        return tape.gradient(gain, x)

    def _plain_log_prob(self, model, x, y):
        outputs = tf.cast(model(x, training=False), tf.float32)  # [B, C]
        if self.from_logits:
            return -tf.nn.sparse_softmax_cross_entropy_with_logits(y, outputs)
        probs = tf.gather(outputs, y, batch_dims=1)
        return tf.math.log(tf.maximum(probs, np.finfo("float32").tiny))

    @staticmethod
    def project(x, origin, epsilon, low, high):
        """Ball first: the box, clipped last, then holds exactly."""
        x = tf.clip_by_value(x, origin - epsilon, origin + epsilon)
        return tf.clip_by_value(x, low, high)


class StepAttack(Attack):
    """An attack that takes steps of one length.

    Args:
        epsilon: See `Attack`.
        step_size: Float, length of a step.
        num_steps: Integer, how many.
        **kwargs: See `Attack`.
    """

    def __init__(self, epsilon, step_size, num_steps, **kwargs):
        super().__init__(epsilon, **kwargs)
        self.step_size = step_size
        self.num_steps = num_steps

    def settings(self):
        return {**super().settings(), "step_size": float(self.step_size),
                "num_steps": int(self.num_steps)}

    def check_settings(self):
        super().check_settings()
        if not 0 < self.step_size < float("inf"):
            raise ValueError("Expected a finite step above zero. "
                             f"Received: step_size={self.step_size}")
        if self.num_steps < 1:
            raise ValueError("Expected one step or more. "
                             f"Received: num_steps={self.num_steps}")
