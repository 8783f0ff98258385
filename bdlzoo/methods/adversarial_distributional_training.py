"""Adversarial distributional training: against a law of perturbations, not a point.

    min over w of mean of max over p(delta) of
        E[-log p(y | x + delta, w)] + entropy_weight * H(p(delta))  + prior

Each input has a law of its own in the ball, which is kept wide by its entropy, so
that the network meets more attacks than the one that climbed:

    explicit             a tanh-Gaussian, climbed to anew in every step
    explicit_amortized   a tanh-Gaussian that a generator gives
    implicit_amortized   what a generator makes of noise; its entropy is bounded by an
                         encoder that reads the noise back

see `explicit_adversary`, `amortized_adversary` and `implicit_adversary` of
`bdlzoo.families`.
The network learns from one draw of each law and predicts by itself; generator and
encoder have an optimiser of their own.

Reference: Dong et al., Adversarial Distributional Training for Robust Deep
Learning, NeurIPS 2020.
"""

import keras
import tensorflow as tf
from absl import logging

from bdlzoo import networks as _networks  # noqa: F401  Known by name.
from bdlzoo.core import noise, registry
from bdlzoo.core.ball import Ball
from bdlzoo.families.adversarial_model import AdversarialModel, check_number
from bdlzoo.families.amortized_adversary import AmortizedAdversary
from bdlzoo.families.explicit_adversary import ExplicitAdversary
from bdlzoo.families.implicit_adversary import INERT, ImplicitAdversary
from bdlzoo.families.perturbations import Perturbations

_DISTRIBUTIONS = ("explicit", "explicit_amortized", "implicit_amortized")


@keras.saving.register_keras_serializable(package="bdlzoo")
class AdversarialDistributionalTraining(AdversarialModel):
    """Trains against distributions of perturbations, one for each input.

    Args:
        *args: See `AdversarialModel`.
        distribution: `"explicit"`, `"explicit_amortized"` or
            `"implicit_amortized"`; amortised ones are for images.
        num_steps: Integer, steps of an explicit law.
        step_size: Float, their length, in units before tanh.
        num_train_samples: Integer, draws in each of them.
        accumulate: Bool, whether they follow the sum of all slopes so far, as
            released, or the last one.
        entropy_weight: Float; `None` is 0.01 for explicit laws, and 1 for the bound
            of implicit ones, as released.
        entropy: `"mean"` over the numbers of an input, as released, or `"sum"`.
        latent: Integer, numbers of noise of an implicit law.
        threshold: Float, nats by which its encoder may miss one of them; above
            0.8696, as in the release, nothing is asked of the generator.
        generator: Spec of a network like `PerturbationGenerator`, without shapes.
        encoder: Spec of a network like `PerturbationEncoder`, without shapes.
        **kwargs: See `AdversarialModel`.

    Example:

        model = bdlzoo.methods.AdversarialDistributionalTraining(network, epsilon=0.3)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
        perturbations = model.adversarial_distribution(x[:1], y[:1])
        attacked = perturbations.inputs(16)
    """

    log_names = ("loss", "nll", "kl", "entropy")
    optimizer_names = ("optimizer", "adversary_optimizer")

    def __init__(self, *args, distribution="explicit", num_steps=7, step_size=0.3,
                 num_train_samples=5, accumulate=True, entropy_weight=None,
                 entropy="mean", latent=64, threshold=0.5,
                 generator="PerturbationGenerator", encoder="PerturbationEncoder",
                 **kwargs):
        super().__init__(*args, num_train_samples=num_train_samples, **kwargs)
        for name, value, known in (("distribution", distribution, _DISTRIBUTIONS),
                                   ("entropy", entropy, ("mean", "sum"))):
            if value not in known:
                raise ValueError(f"Expected one of {known}. Received: {name}={value!r}")
        check_number("num_steps", num_steps, 1)
        check_number("step_size", step_size, 0.0, above=True)
        check_number("latent", latent, 1)
        check_number("threshold", threshold, -float("inf"), above=True)
        check_number("entropy_weight", entropy_weight or 0.0, 0.0)
        if distribution == "implicit_amortized" and threshold >= INERT:
            logging.warning(
                "A threshold of %g is above %.4f, which an encoder reaches that sees "
                "nothing: the generator may ignore its noise.", threshold, INERT)
        self.distribution = distribution
        self.num_steps = num_steps
        self.step_size = step_size
        self.accumulate = accumulate
        self.entropy_weight = entropy_weight
        self.entropy = entropy
        self.latent = latent
        self.threshold = threshold
        self.generator = generator
        self.encoder = encoder

    def build(self, input_shape):
        super().build(input_shape)
        shape = tuple(input_shape[1:])
        if self.distribution == "explicit":
            self.adversary = ExplicitAdversary(
                self.num_steps, self.step_size, self.num_train_samples,
                self._weight(0.01), self.entropy, self.accumulate)
        else:
            if len(shape) != 3:
                raise ValueError(
                    "Expected images, (height, width, channels), for a generator; for "
                    "others take `distribution=\"explicit\"`. Received: inputs of "
                    f"shape {shape}")
            self.adversary = self._amortized(shape)
        self._learn_from_seed = tf.function(self._learn, reduce_retracing=True)

    def _amortized(self, shape):
        *sides, channels = shape
        seen = dict(input_shape=(*sides, 3 * channels))
        if self.distribution == "explicit_amortized":
            return AmortizedAdversary(
                registry.build(self.generator, outputs=2 * channels, **seen),
                self._weight(0.01), self.entropy)
        return ImplicitAdversary(
            registry.build(self.generator, outputs=channels, latent=self.latent,
                           **seen),
            registry.build(self.encoder, input_shape=shape, outputs=2 * self.latent),
            self.latent, self._weight(1.0), self.threshold)

    def _weight(self, released):
        return released if self.entropy_weight is None else self.entropy_weight

    def compile(self, optimizer="adam", adversary_optimizer=None, **kwargs):
        """As in Keras, with an optimiser for generator and encoder.

        Args:
            optimizer: Of the network.
            adversary_optimizer: Of generator and encoder; `None` is the published
                one, Adam with rate 2e-4 and `beta_1` 0.5.
            **kwargs: See `PredictiveModel.compile`.
        """
        super().compile(optimizer=optimizer, **kwargs)
        self.adversary_optimizer = keras.optimizers.get(
            adversary_optimizer or keras.optimizers.Adam(2e-4, beta_1=0.5))
        if self.built:
            self.build_optimizers()

    def attacked(self, ball, y, key):
        return self.adversary.attacked(self.losses_of, ball, y, key)

    def adversarial_distribution(self, x, y, seed=None):
        """The perturbations that the adversary has learnt for some inputs.

        Args:
            x: Inputs `[B, ...]` in the box.
            y: Integer classes `[B]`.
            seed: Integer, or a pair: of the steps of an explicit law; `None` takes
                the model's.

        Returns:
            `bdlzoo.families.perturbations.Perturbations`.
        """
        x = tf.cast(tf.convert_to_tensor(x), tf.float32)
        self.build_once(x)
        self.check_data(x, y)
        y = tf.reshape(tf.cast(y, tf.int32), [-1])
        seed = tf.constant(self.seed if seed is None else seed, tf.int32)
        ball = Ball(x, tf.constant(self.epsilon, tf.float32), self.low, self.high)
        learnt = self._learn_from_seed(x, ball.radius, y, seed)
        return Perturbations(self.adversary.law(*learnt), ball)

    def _learn(self, x, radius, y, seed):
        return self.adversary.learn(
            self.losses_of, Ball(x, radius, self.low, self.high), y,
            noise.key(seed, noise.ATTACK))

    def variable_groups(self):
        """Trainable weights of the network, and apart those of the adversary."""
        adversary = list(getattr(self.adversary, "trainable_variables", ()))
        known = set(map(id, adversary))
        return ([w for w in self.trainable_variables if id(w) not in known],
                adversary if self.epsilon else [])  # Without a radius he is idle.

    def get_config(self):
        return {**super().get_config(), **{name: getattr(self, name) for name in (
            "distribution", "num_steps", "step_size", "accumulate", "entropy_weight",
            "entropy", "latent", "threshold", "generator", "encoder")}}
