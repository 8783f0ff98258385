"""Base class of attacks in an L-infinity ball.

    scores(x)  = logits, or log mean_s p(class | x, w_s)
    gain(x)    = loss(scores(x), y)                  or minus that, if targeted
                 - evasion * mutual information of the draws
    project(x) = clip(clip(x, x_0 - epsilon, x_0 + epsilon), low, high)

The mean over draws is taken before the gradient. The gradient of a single draw is that
of another network, and a noisy model would look robust. Models are always called with
`training=False`. With `evasion` the attack also lowers the disagreement of the draws,
by which it could be detected.
"""

import weakref

import numpy as np
import tensorflow as tf

from bdlzoo.core import disagreement, noise, registry
from bdlzoo.surgery.gradient_path import blocking_layer, spread

_PROBE = 8  # Rows on which a model is tried before the attack.


class Attack:
    """Moves inputs inside a ball so that a classifier makes mistakes.

    A subclass writes `perturb`, and extends `settings` and `check_settings`. The
    settings enter the compiled attack as tensors, so that they can be changed between
    calls without tracing again.

    Args:
        epsilon: Float, radius of the ball.
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

    Call arguments:
        model: Keras classifier, or zoo model with `draw` and `likelihood`.
        x: Inputs `[B, ...]` inside `[low, high]`.
        y: Integer classes `[B]`.
        seed: Integer or pair of integers.

    Returns:
        Tensor like `x`, the attacked inputs.

    Example:

    ```python
    x_adv = PGD(epsilon=0.1, step_size=0.02, num_steps=20)(model, x, y, seed=0)
    ```
    """

    needs_gradient = True  # Whether the model must have a gradient in its inputs.

    def __init__(self, epsilon, low=0.0, high=1.0, targeted=False, num_samples=1,
                 from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        self.epsilon = epsilon
        self.low = low
        self.high = high
        self.targeted = targeted
        self.num_samples = num_samples
        self.from_logits = from_logits
        self.evasion = evasion
        self.loss = registry.build(loss)
        self.jit_compile = jit_compile
        # Weak references, so that models can be deleted.
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
        """Raises a `ValueError` if a setting is out of range."""
        if not 0 <= self.epsilon < float("inf"):
            raise ValueError("Expected a finite radius of at least 0. "
                             f"Received: epsilon={self.epsilon}")
        if not self.low < self.high:
            raise ValueError("Expected `low` below `high`. Received: "
                             f"low={self.low}, high={self.high}")
        if self.num_samples < 1:
            raise ValueError("Expected at least one draw. "
                             f"Received: num_samples={self.num_samples}")
        if self.evasion < 0 or self.evasion and self.num_samples < 2:
            raise ValueError(
                "Expected a weight of at least 0, and two draws or more if it is above "
                f"0. Received: evasion={self.evasion}, "
                f"num_samples={self.num_samples}")
        if self.targeted and not self.loss.has_target:
            raise ValueError(
                "Expected a loss that uses classes, such as `CrossEntropyLoss`, for an "
                "attack with a target. "
                f"Received: loss={type(self.loss).__name__}, targeted=True")

    def __call__(self, model, x, y, seed=0):
        x, y = self.check(model, x, y)
        if model not in self._functions:
            self._functions[model] = self._compile(model)
        settings = tf.nest.map_structure(tf.convert_to_tensor, self.settings())
        return self._functions[model](x, y, noise.as_seed(seed), settings)

    def check(self, model, x, y):
        """Checks the settings, the model and the data before the attack.

        Args:
            model: Keras classifier or zoo model.
            x: Inputs `[B, ...]`.
            y: Integer classes `[B]` or `[B, 1]`.

        Returns:
            Pair of tensors: inputs as floats `[B, ...]` and classes as integers `[B]`.
        """
        self.check_settings()
        if y is None:
            raise ValueError("Expected integer classes [B]; if there are no labels, "
                             "pass the predicted classes. Received: y=None")
        x = tf.cast(tf.convert_to_tensor(x), tf.float32)
        y = tf.convert_to_tensor(y)
        if tf.executing_eagerly():  # In a graph there are no values to check.
            self._check_data(model, x, y)
        return x, tf.reshape(tf.cast(y, tf.int32), [-1])

    def _compile(self, model):
        model = weakref.ref(model)

        @tf.function(reduce_retracing=not self.jit_compile,
                     jit_compile=self.jit_compile)
        def run(x, y, seed, settings):
            return self.perturb(model(), x, y, seed, **settings)

        return run

    def _check_data(self, model, x, y):
        x_low, x_high = tf.reduce_min(x).numpy(), tf.reduce_max(x).numpy()
        if len(x) and not self.low <= x_low <= x_high <= self.high:
            raise ValueError(
                f"Expected inputs in [{self.low}, {self.high}]; scale them, or set "
                "`low` and `high` of the attack. Received: x with values "
                f"from {x_low} to {x_high}")
        if y.shape not in ((len(x),), (len(x), 1)):
            raise ValueError("Expected one integer class for each input. "
                             f"Received: x.shape={x.shape}, y.shape={y.shape}")
        classes, count = np.unique(y), self.check_model(model, x)
        if not np.isin(classes, np.arange(count)).all():
            raise ValueError(f"Expected integer classes from 0 to {count - 1}. "
                             f"Received: y with values {classes}")

    def check_model(self, model, x):
        """Raises a `ValueError` if a model cannot be attacked; tries it once.

        Args:
            model: Keras classifier or zoo model.
            x: Inputs `[B, ...]`, of which a few are tried.

        Returns:
            Integer, number of classes.
        """
        if hasattr(model, "check_ready"):  # A sampler may have no draws yet.
            model.build_once(x)
            model.check_ready()
        if model not in self._num_classes:
            rows = x[:_PROBE]
            self._num_classes[model] = self._count_classes(model, rows)
            if self.needs_gradient and len(rows):
                self._check_gradient(model, rows)
        return self._num_classes[model]

    def _count_classes(self, model, x):
        plain = not hasattr(model, "draw")
        if plain:
            # This also builds a model that is not built yet.
            outputs = tf.cast(model(x, training=False), tf.float32)
        else:
            outputs = model.draw(x, 1, noise.key(0, noise.ATTACK))[0]
        if len(outputs.shape) != 2 or outputs.shape[1] < 2:
            raise ValueError(
                "Expected a classifier that returns two numbers or more for each "
                f"input. Received: outputs of shape {outputs.shape}")
        if plain and len(x) and self.from_logits == _are_probabilities(outputs):
            told, found = ("logits", "probabilities")[::1 if self.from_logits else -1]
            raise ValueError(
                f"Expected {told} from a plain Keras model; set `from_logits="
                f"{not self.from_logits}` if it returns {found}, or change its last "
                f"activation. Received: from_logits={self.from_logits}, and rows "
                f"that {'are not' if found == 'logits' else 'are'} probabilities")
        return outputs.shape[1]

    def _check_gradient(self, model, x):
        """Raises if the model has no gradient, neither at inputs nor at noise."""
        width = self.high - self.low
        away = self.low + width * noise.uniform(x.shape, noise.key(0, noise.ATTACK))
        for rows in (x, away):
            with tf.GradientTape() as tape:
                tape.watch(rows)
                key = noise.key(0, noise.ATTACK)
                total = spread(self._scores(model, rows, key)[0])
            gradient = tape.gradient(total, rows)
            if gradient is not None and np.any(gradient):
                return
        layer = blocking_layer(getattr(model, "network", model), x)
        where = "" if layer is None else f"; layer {layer.name!r} stops it"
        raise ValueError(
            "Expected a model whose scores have a gradient in its inputs. Replace the "
            "layer that stops it, or use `SPSA`, which needs none. Received: "
            f"{getattr(model, 'name', type(model).__name__)}, with a gradient of "
            f"{'None' if gradient is None else 'zero'}{where}")

    def scores(self, model, x, key):
        """Scores of the classes, `[B, C]`: logits, or log mean probabilities."""
        return self._scores(model, x, key)[0]

    def _scores(self, model, x, key):
        """Scores and their prediction, which is `None` for a plain model."""
        if hasattr(model, "draw"):
            draws = model.draw(x, self.num_samples, key)  # [S, B, C]
            prediction = model.likelihood.prediction(draws)
            return tf.cast(prediction.log_mixture, tf.float32), prediction
        return self.as_scores(model(x, training=False)), None

    def as_scores(self, outputs):
        """Scores `[B, C]` from the outputs of a plain model."""
        outputs = tf.cast(outputs, tf.float32)
        if self.from_logits:
            return outputs
        # Log probabilities are scores; the log of zero would be infinite.
        return tf.math.log(tf.maximum(outputs, np.finfo("float32").tiny))

    def clean_scores(self, model, x, seed):
        """Scores before the attack if the loss needs them, otherwise `None`."""
        if not self.loss.needs_clean:
            return None
        # Restarts and steps count from 0, so that no step has these draws.
        key = noise.key(seed, noise.ATTACK, -1, 1)
        return tf.stop_gradient(self.scores(model, x, key))

    def gain(self, model, x, y, key, clean=None):
        """The quantity that the attack raises, `[B]`."""
        return self._outcome(model, x, y, key, clean)[0]

    def outcome(self, model, x, y, key, clean=None):
        """The gain `[B]`, and whether the attack has succeeded, `[B]`."""
        gain, scores = self._outcome(model, x, y, key, clean)
        hit = tf.argmax(scores, axis=-1, output_type=y.dtype) == y
        # A loss of the whole batch is the same for all rows.
        gain = tf.broadcast_to(gain, tf.shape(y))
        return gain, hit if self.targeted else ~hit

    def _outcome(self, model, x, y, key, clean):
        scores, prediction = self._scores(model, x, key)
        gain = self.loss.gain(scores, y, clean, self.targeted)
        if self.evasion and prediction is not None:
            gain -= self.evasion * disagreement.information(prediction)
        return gain, scores

    def gradient(self, model, x, y, key, clean=None):
        """Gradient of the gain in `x`."""
        with tf.GradientTape() as tape:
            tape.watch(x)
            # A sum and not a mean, so that no gradient underflows in large batches.
            gain = tf.reduce_sum(self.gain(model, x, y, key, clean))
        return tape.gradient(gain, x)

    def slope(self, model, x, y, key, clean=None):
        """Gain `[B]`, success `[B]` and the gradient of the gain in `x`."""
        with tf.GradientTape() as tape:
            tape.watch(x)
            gain, reached = self.outcome(model, x, y, key, clean)
        return gain, reached, tape.gradient(gain, x)

    @staticmethod
    def project(x, origin, epsilon, low, high):
        """Moves inputs into the ball, and then into the box, which holds exactly."""
        x = tf.clip_by_value(x, origin - epsilon, origin + epsilon)
        return tf.clip_by_value(x, low, high)


def _are_probabilities(outputs):
    sums = tf.reduce_sum(outputs, axis=-1)
    return bool(tf.reduce_min(outputs) >= 0 and tf.reduce_max(abs(sums - 1)) < 1e-3)
