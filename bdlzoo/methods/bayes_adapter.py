"""BayesAdapter: short fine-tuning makes a trained network Bayesian.

    q(w) = N(mean, exp(2 psi)),    mean from the trained weights, psi ~ U(-6, -5)
    loss = nll + KL(q || N(anchor, 1 / (decay num_data))) / num_data
           + ood_weight * mean over x' of max(margin - disagreement(x'), 0)

The prior is the one that weight decay stands for, and its divergence is two terms that
are added to the gradients: see `bdlzoo.families.decayed_model`. Means go on with the
learning rate at the end of training; log-scales start with a large one. On inputs x'
that should look uncertain (noise, attacks on the means, rows that the user gives) two
draws are pushed apart.

In a mixture, of deltas or of Gaussians, the last layers have copies. Each row of a
batch uses one of them, and each copy has its share of the divergence.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and Reliably,
via Bayesian Fine-tuning, ACML 2022; Deng et al., LiBRe: A Practical Bayesian
Approach to Adversarial Detection, CVPR 2021 (mixtures, features).
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo.core import disagreement as gaps
from bdlzoo.core import noise, registry, written_out
from bdlzoo.core.batches import is_arrays
from bdlzoo.core.draw_places import places
from bdlzoo.core.positions import cleaned
from bdlzoo.families import adaptation, feature_variance
from bdlzoo.families.decayed_model import DecayedModel
from bdlzoo.families.uncertain_inputs import UncertainInputs
from bdlzoo.likelihoods.likelihood import ClassLikelihood
from bdlzoo.surgery import memory

_DISAGREEMENTS = ("mutual_information", "feature_variance")


@keras.saving.register_keras_serializable(package="bdlzoo")
class BayesAdapter(DecayedModel):
    """Fine-tunes a posterior around the weights of a trained network.

    Args:
        network: Trained functional or Sequential Keras model, whose outputs are logits
            for classes, means for numbers. It is copied and stays as it is.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        posterior: Kind of posterior: `"mean_field"`, `"mixture_of_deltas"` or
            `"mixture_of_gaussians"`.
        select: Layers that get a posterior: a layer class, a name, a list of them, a
            function of a layer that returns a bool, or an integer for the last so many
            layers. `None` is all layers for a mean field, and the last two for a
            mixture. The other layers are trained as points.
        technique: How a mean field draws in training: `"exemplar"`, `"flipout"`,
            `"reparameterization"`, `"local_reparameterization"` or
            `"variational_dropout"`. `"exemplar"` is replaced by Flipout if memory is
            short.
        num_members: Integer, copies of the adapted layers in a mixture.
        batch_norm: Bool, whether scale and shift of BatchNorm get a posterior too; its
            statistics are frozen in any case.
        log_scale: Pair of floats, between which the log-scales of the posterior start.
        uncertain: Attack, or a list of attacks, that makes inputs on which the draws
            should disagree: a name of `bdlzoo.attacks`, such as `"UniformNoise"`, or a
            dictionary such as `{"type": "FGSM", "epsilon": 0.1}`.
        ood_weight: Float, weight of the hinge loss on those inputs.
        margin: Float, disagreement above which the hinge loss is 0. The mutual
            information of two draws is at most 0.693; the released code has 0.75.
        disagreement: Disagreement of two draws: `"mutual_information"`, or
            `"feature_variance"`.
        allow_untrained: Bool, whether a network with initial weights is accepted.
        num_samples: Integer, draws at prediction; `None` is 32, or the number of
            members of a mixture.
        weight_decay: Float, weight decay that the network was trained with; it sets the
            scale of the prior.
        prior_scale: Float, standard deviation of the prior, used instead of
            `weight_decay`; `None` for `weight_decay`.
        prior_at_trained: Bool, whether the prior is centred at the trained weights;
            otherwise at zero.
        num_train_samples: Integer, draws in a training step.
        kl_weight: Float, weight of the divergence from the prior. 1 gives the Bayes
            posterior, a smaller number a colder one.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.BayesAdapter(trained, weight_decay=1e-4)
        model.compile()
        model.fit(x, y, epochs=3)
    """

    log_names = ("loss", "nll", "kl", "ood")

    def __init__(self, network, likelihood="categorical", posterior="mean_field",
                 select=None, technique="exemplar", num_members=20, batch_norm=False,
                 log_scale=(-6.0, -5.0), uncertain=(), ood_weight=1.0, margin=0.5,
                 disagreement="mutual_information", allow_untrained=False,
                 num_samples=None, weight_decay=1e-4, prior_scale=None,
                 prior_at_trained=False, num_train_samples=1, kl_weight=1.0,
                 num_data=None, seed=None, **kwargs):
        _check_choice("posterior", posterior, adaptation.POSTERIORS)
        _check_choice("disagreement", disagreement, _DISAGREEMENTS)
        mixture = posterior != "mean_field"
        if mixture and not num_members > 1:
            raise ValueError(
                "Expected at least two members of a mixture; for one network use "
                f"`posterior=\"mean_field\"`. Received: num_members={num_members}")
        if not ood_weight >= 0 or not margin > 0:
            raise ValueError(
                "Expected a weight of at least 0 and a margin above 0. Received: "
                f"ood_weight={ood_weight}, margin={margin}")
        # A network that has a posterior comes from a file of this model.
        fresh = isinstance(network, keras.Model) and not adaptation.is_adapted(network)
        if fresh:
            adaptation.check_trained(network, allow_untrained)
            network = adaptation.adapt(network, posterior, select, technique,
                                       batch_norm, num_members)
        super().__init__(
            network, likelihood, weight_decay=weight_decay, prior_scale=prior_scale,
            prior_at_trained=prior_at_trained,
            num_samples=num_samples or (num_members if mixture else 32),
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            num_data=num_data, seed=seed, **kwargs)
        adaptation.check_scales(self.network)
        if fresh:
            adaptation.start_log_scales(self.network, *log_scale, self.seed)
        self.posterior = posterior
        self.num_members = num_members
        self.uncertain = [uncertain] if isinstance(uncertain, (str, dict)) else (
            list(uncertain))
        self.ood_weight = ood_weight
        self.margin = margin
        self.disagreement = disagreement
        self._strange = UncertainInputs([registry.build(
            spec, from_logits=getattr(self.likelihood, "from_logits", True))
            for spec in self.uncertain])
        self._check_classes()

    @property
    def stores_draws(self):
        return self.posterior == "mixture_of_deltas"

    def build(self, input_shape):
        super().build(input_shape)
        shape = self.output_shape_of(input_shape)
        if self._strange.attacks:
            self.refuse_positions(shape, "an attack moves an input to another class")
        self._num_outputs = shape[-1]
        self._encoder = None
        if self.disagreement == "feature_variance":
            self._encoder = feature_variance.random_encoder(self.network)
        self._features_from_seed = tf.function(
            lambda inputs, num_samples, seed: self._draw_each(
                self._encoder, inputs, tf.range(num_samples), noise.split(
                    noise.key(seed, noise.PREDICT), num_samples)),
            reduce_retracing=True)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, *, uncertain_inputs=None, **kwargs):
        """Trains as in Keras.

        Args:
            x: Inputs, as arrays, or a dataset of pairs `(x, y)`.
            y: Targets; `None` for a dataset.
            batch_size: Integer, rows in a step; `None` is 32 for arrays.
            epochs: Integer, passes over the data.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            uncertain_inputs: Array `[M, ...]` of inputs that should look uncertain,
                used beside those that `uncertain` makes; `None` for no array.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        given = self._strange.give(uncertain_inputs)
        self._check_classes()
        if uncertain_inputs is not None:
            self.check_inputs(self._strange.given)
        crowded = memory.make_room(
            self.network, self.num_train_samples * _rows_of_step(x, batch_size))
        if given or crowded:
            self.train_function = None  # What it was traced with has changed.
        return super().fit(x, y, batch_size, epochs, verbose, callbacks, **kwargs)

    def draw_parts(self, inputs, num_samples, key):
        if self.posterior == "mean_field":
            return super().draw_parts(inputs, num_samples, key)
        hidden, keys = self._parts.begin(inputs), noise.split(key, num_samples)
        return lambda first, count: self._draw_each(
            self._parts.finish, hidden, places(first, count, num_samples), keys)

    def _draw_each(self, function, inputs, members, keys):
        """Draws of a function of inputs; members of a mixture are used in turn."""
        def one(each):
            member, draw_key = each
            with noise.draws(draw_key, coherent=True, member=member):
                return tf.cast(function(inputs), tf.float32)

        at_once = memory.draws_in_flight(inputs, self._row_bytes, self._weight_bytes)
        return written_out.map_draws(
            one, (members, tf.gather(keys, members)), parallel_iterations=at_once,
            fn_output_signature=tf.float32)  # [S, B, ...]

    def objective(self, x, y, sample_weight, key):
        logs, prediction = super().objective(x, y, sample_weight, key)
        if self.ood_weight and self._strange:
            logs["ood"] = self.ood_loss(x, y, noise.fold_in(key, 1))
            logs["loss"] += self.ood_weight * logs["ood"]
        return logs, prediction

    def ood_loss(self, x, y, key):
        """Hinge on the disagreement of two draws about uncertain inputs."""
        # Outside of a draw scope the network computes with the means.
        strange = self._strange.rows(self.network, x, self._labels(x, y),
                                     noise.fold_in(key, 0))
        pair = []
        for draw, member in enumerate(self._two_members(noise.fold_in(key, 1))):
            with noise.draws(noise.fold_in(key, 2, draw), member=member):
                seen = (self._encoder or self.network)(strange, training=True)
                pair.append(tf.cast(seen, tf.float32))
        gap = gaps.distance(*pair) if self._encoder else gaps.information(
            self.likelihood.prediction(tf.stack(pair)))
        return gaps.hinge(gap, self.margin)

    def _labels(self, x, y):
        """Classes `[B]` that attacks leave; zeros if there is no attack."""
        rows = tf.shape(x)[0]
        if not self._strange.attacks:
            return tf.zeros([rows], tf.int32)
        blank = tf.zeros([1, rows, self._num_outputs])
        return self.likelihood.labels(
            cleaned(y, self.likelihood.counts(y, blank)), blank)

    def _two_members(self, key):
        """Two different members of a mixture."""
        first, step = tf.unstack(noise.uniform([2], key))
        first = tf.cast(self.num_members * first, tf.int32)
        return first, first + 1 + tf.cast((self.num_members - 1) * step, tf.int32)

    def feature_variance(self, inputs, num_samples=None, seed=None):
        """Variance over draws of the features before the last layer, `[B]`.

        Args:
            inputs: Array or tensor of inputs.
            num_samples: Integer, draws; `None` takes the model's.
            seed: Integer, or a pair of integers, seed of the draws; `None` takes
                the model's.
        """
        inputs = tf.convert_to_tensor(inputs)
        self.build_once(inputs)
        self.check_inputs(inputs)
        if self._encoder is None:
            self._encoder = feature_variance.random_encoder(self.network)
        count = tf.constant(num_samples or self.num_samples)
        seed = noise.as_seed(self.seed if seed is None else seed)
        step = memory.rows_at_once(self._row_bytes, self._weight_bytes)
        return np.concatenate([feature_variance.variance(self._features_from_seed(
            inputs[start:start + step], count, seed))
            for start in range(0, len(inputs), step)])

    def _check_classes(self):
        if self._strange and not isinstance(self.likelihood, ClassLikelihood):
            raise ValueError(
                "Expected a likelihood of classes: inputs that should look uncertain "
                f"are for classifiers. Received: likelihood={self.likelihood.name}")

    def get_config(self):
        return {**super().get_config(), "posterior": self.posterior,
                "num_members": self.num_members, "uncertain": self.uncertain,
                "ood_weight": self.ood_weight, "margin": self.margin,
                "disagreement": self.disagreement}


def _check_choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"Expected one of {choices}. Received: {name}={value!r}")


def _rows_of_step(x, batch_size):
    """Rows of a batch if they are known before training; else 1."""
    if is_arrays(x):
        return batch_size or 32
    if isinstance(x, tf.data.Dataset):
        for batch in x.take(1):
            return len(tf.nest.flatten(batch)[0])
    return 1
