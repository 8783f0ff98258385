"""Adversarial distributional training: against distributions of perturbations.

    min over w of mean of max over p(delta) of
        E[-log p(y | x + delta, w)] + entropy_weight * H(p(delta))  + prior

Each input has its own distribution of perturbations in the ball. The entropy keeps
this distribution wide, so that the network sees many attacks and not only the
strongest one:

    explicit             a tanh-Gaussian, fitted anew in every step
    explicit_amortized   a tanh-Gaussian whose parameters come from a generator
    implicit_amortized   the output of a generator that reads noise; its entropy is
                         bounded by an encoder that reconstructs the noise

See `explicit_adversary`, `amortized_adversary` and `implicit_adversary` of
`bdlzoo.families`. The network learns from one draw of each distribution and predicts
without them. The generator and the encoder have their own optimiser.

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
        network: Keras model that classifies; its outputs are logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical` that
            reads logits: attacks need them.
        epsilon: Float, radius of the ball of perturbations (largest change of a
            number); 0 is standard training.
        distribution: `"explicit"`, `"explicit_amortized"` or `"implicit_amortized"`.
            The amortised ones are for images.
        num_steps: Integer, steps that fit an explicit distribution.
        step_size: Float, length of these steps, in units before tanh.
        num_train_samples: Integer, draws of perturbations in each of these steps.
        accumulate: Bool, whether a step follows the sum of all gradients so far, as in
            the released code, or the last gradient alone.
        entropy_weight: Float, weight of the entropy; `None` is 0.01 for explicit
            distributions, and 1 for the bound of implicit ones, as in the released
            code.
        entropy: `"mean"` over the numbers of an input, as in the released code, or
            `"sum"`.
        latent: Integer, numbers of noise that an implicit generator reads.
        threshold: Float, error of the encoder in nats for each number of noise that is
            small enough. Above 0.8696, as in the released code, the generator may
            ignore its noise.
        generator: Name of a network like `PerturbationGenerator`, or a dictionary with
            the name under `type` and options beside it, but for shapes.
        encoder: Name of a network like `PerturbationEncoder`, or a dictionary with the
            name under `type` and options beside it, but for shapes.
        warm_up: Float, epochs over which the radius grows to `epsilon`; 0 for none.
        low: Float, smallest value that an input may have.
        high: Float, largest value that an input may have.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.AdversarialDistributionalTraining(network, epsilon=0.3)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
        perturbations = model.adversarial_distribution(x[:1], y[:1])
        attacked = perturbations.inputs(16)
    """

    log_names = ("loss", "nll", "kl", "entropy")
    optimizer_names = ("optimizer", "adversary_optimizer")

    def __init__(self, network, likelihood="categorical", epsilon=0.3,
                 distribution="explicit", num_steps=7, step_size=0.3,
                 num_train_samples=5, accumulate=True, entropy_weight=None,
                 entropy="mean", latent=64, threshold=0.5,
                 generator="PerturbationGenerator", encoder="PerturbationEncoder",
                 warm_up=1.0, low=0.0, high=1.0, prior_scale=None, num_samples=1,
                 kl_weight=1.0, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, epsilon=epsilon, num_train_samples=num_train_samples,
            warm_up=warm_up, low=low, high=high, prior_scale=prior_scale,
            num_samples=num_samples, kl_weight=kl_weight, num_data=num_data, seed=seed,
            **kwargs)
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
                "A threshold of %g is not below %.4f, the error of an encoder that "
                "learns nothing: the generator may ignore its noise.", threshold,
                INERT)
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
                    "Expected images, (height, width, channels), for a generator. For "
                    "other inputs use `distribution=\"explicit\"`. Received: inputs "
                    f"of shape {shape}")
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
        """Compiles as in Keras, with an optimiser for generator and encoder.

        Args:
            optimizer: Optimiser of the network.
            adversary_optimizer: Optimiser of generator and encoder; `None` is the
                published one, Adam with learning rate 2e-4 and `beta_1` 0.5.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer, **kwargs)
        self.adversary_optimizer = keras.optimizers.get(
            adversary_optimizer or keras.optimizers.Adam(2e-4, beta_1=0.5))
        if self.built:
            self.build_optimizers()

    def attacked(self, ball, y, key):
        return self.adversary.attacked(self.losses_of, ball, y, key)

    def adversarial_distribution(self, x, y, seed=None):
        """Returns the distribution of perturbations of each input.

        Args:
            x: Inputs `[B, ...]` with values from `low` to `high`.
            y: Integer classes `[B]`.
            seed: Integer, or a pair of integers, seed of the steps that fit an
                explicit distribution; `None` takes the model's.

        Returns:
            `bdlzoo.families.perturbations.Perturbations`, which draws perturbations
            and attacked inputs.
        """
        x = tf.cast(tf.convert_to_tensor(x), tf.float32)
        self.build_once(x)
        self.check_data(x, y)
        y = tf.reshape(tf.cast(y, tf.int32), [-1])
        seed = noise.as_seed(self.seed if seed is None else seed)
        ball = Ball(x, tf.constant(self.epsilon, tf.float32), self.low, self.high)
        learnt = self._learn_from_seed(x, ball.radius, y, seed)
        return Perturbations(self.adversary.law(*learnt), ball)

    def _learn(self, x, radius, y, seed):
        return self.adversary.learn(
            self.losses_of, Ball(x, radius, self.low, self.high), y,
            noise.key(seed, noise.ATTACK, 0))

    def variable_groups(self):
        """Trainable weights of the network, and those of the adversary."""
        adversary = list(getattr(self.adversary, "trainable_variables", ()))
        known = set(map(id, adversary))
        return ([w for w in self.trainable_variables if id(w) not in known],
                adversary if self.epsilon else [])  # Without a radius it is idle.

    def get_config(self):
        return {**super().get_config(), **{name: getattr(self, name) for name in (
            "distribution", "num_steps", "step_size", "accumulate", "entropy_weight",
            "entropy", "latent", "threshold", "generator", "encoder")}}
