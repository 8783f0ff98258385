"""Attacks of adversarial-robustness-toolbox, used like those of the zoo.

    x_adv = project(attack(estimator of scores(x)).generate(x, y))

The toolbox reads the scores of any model of the zoo, which are means over draws. It is
called outside of graphs. Its results are projected into the ball and the box, also if
the attack has another norm.
"""

import functools
import importlib

import keras
import tensorflow as tf

from bdlzoo.attacks.attack import Attack
from bdlzoo.core import noise, registry


@registry.register
class ARTAttack(Attack):
    """Runs an evasion attack of adversarial-robustness-toolbox.

    Args:
        name: String, name of a class of `art.attacks.evasion`.
        epsilon: Float, radius of the ball, passed to that class as `eps` if it has this
            argument.
        options: Dict of other arguments of that class.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Bool, whether `y` are the classes that the attack should reach.
        num_samples: Integer, draws of a zoo model in every gradient. A plain Keras
            model has no draws.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.

    Example:

    ```python
    attack = ARTAttack("AutoProjectedGradientDescent", 0.3, {"max_iter": 50})
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    needs_gradient = False  # Many of its attacks need none.

    def __init__(self, name, epsilon, options=None, low=0.0, high=1.0, targeted=False,
                 num_samples=1, from_logits=True):
        super().__init__(epsilon, low, high, targeted, num_samples, from_logits)
        self.name = name
        self.options = dict(options or {})
        self.check_settings()
        self._attack = self._find(name)

    @staticmethod
    def _find(name):
        try:
            evasion = importlib.import_module("art.attacks.evasion")
        except ImportError as error:
            raise ImportError(
                "Expected adversarial-robustness-toolbox: run `pip install "
                "adversarial-robustness-toolbox`, or `pip install bdlzoo[art]`. "
                f"Received: {error}") from error
        if not hasattr(evasion, name):
            raise ValueError("Expected the name of a class of `art.attacks.evasion`. "
                             f"Received: name={name!r}")
        return getattr(evasion, name)

    def _compile(self, model):
        shown = _Shown(functools.partial(self.scores, model))

        def run(x, y, seed, settings):
            if not tf.executing_eagerly():
                raise ValueError("Expected a call outside of `tf.function`, because "
                                 "the toolbox needs arrays. Received: a graph tensor")
            count = self._num_classes[model]
            attack = self._attack(self._estimator(shown, count, x.shape[1:]),
                                  **self._arguments())
            # The toolbox draws from the global state of NumPy.
            keras.utils.set_random_seed(noise.short_seed(seed))
            shown.begin(seed)
            hot = keras.utils.to_categorical(y.numpy(), count)
            found = attack.generate(x.numpy(), y=hot)
            return self.project(tf.constant(found, tf.float32), x, **settings)

        return run

    def _estimator(self, shown, num_classes, shape):
        estimators = importlib.import_module("art.estimators.classification")
        return estimators.TensorFlowV2Classifier(
            model=shown, nb_classes=num_classes, input_shape=tuple(shape),
            loss_object=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            clip_values=(self.low, self.high))

    def _arguments(self):
        own = {"eps": float(self.epsilon), "targeted": self.targeted, "verbose": False}
        known = self._attack.attack_params
        return {**{key: value for key, value in own.items() if key in known},
                **self.options}


class _Shown:
    """Scores of a model as a function that the toolbox calls, with new draws."""

    def __init__(self, scores):
        self._scores = tf.function(scores, reduce_retracing=True)
        self.begin(0)

    def begin(self, seed):
        """Starts the draws of an attack."""
        self._seed, self._calls = seed, 0

    def __call__(self, x, training=False):
        del training  # Models are always attacked in their prediction mode.
        key = noise.key(self._seed, noise.ATTACK, self._calls)
        self._calls += 1
        return self._scores(tf.cast(x, tf.float32), key)
