"""SWAG: a Gaussian posterior from the weights that the end of a training visits.

    mean      <- mean + (w - mean) / n                              n = 1, 2, ...
    deviation <- w - mean,                                the newest K are kept
    q(w)       = N(mean, diag(variance of the w) / 2 + D D^T / (2 (K - 1)))

Stochastic gradient descent at a constant, rather high learning rate is to explore the
surroundings of a minimum. After `burn_in` steps its weights are collected once in
`thinning` steps. The columns of D are the deviations from the running mean. With
`scale=0` the prediction is that of the averaged weights (SWA).

Reference: Maddox et al., A Simple Baseline for Bayesian Uncertainty in Deep Learning,
NeurIPS 2019; Izmailov et al., Averaging Weights Leads to Wider Optima and Better
Generalization, UAI 2018 (SWA).
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import flat_weights, keras_internals, noise
from bdlzoo.core.flat_weights import FlatWeights
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.surgery import cloning, input_form

_BUDGET = 2**32  # Bytes of deviations that a model may hold.


@keras.saving.register_keras_serializable(package="bdlzoo")
class SWAG(PriorModel):
    """Fits a Gaussian to the weights of the last steps of a training.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. It may be trained already.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
            Its own parameters, such as a noise scale, are fitted as points.
        burn_in: Integer, steps before weights are collected.
        thinning: Integer, steps from one collected vector of weights to the next, such
            as those of an epoch.
        rank: Integer, deviations that are kept, the newest ones.
        scale: Float, factor of the standard deviation of draws; 0 is SWA.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_samples: Integer, draws at prediction.
        num_train_samples: Integer, passes through the network in a training step; more
            than one is of use with dropout only.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.SWAG(network, burn_in=2000, thinning=100)
        model.compile(keras.optimizers.SGD(0.05, momentum=0.9))
        model.fit(x, y, epochs=20)
    """

    kept_weights = ("deviations",)
    draw_group = flat_weights.AT_ONCE

    def __init__(self, network, likelihood="categorical", burn_in=0, thinning=1,
                 rank=20, scale=1.0, prior_scale=None, num_samples=32,
                 num_train_samples=1, kl_weight=1.0, num_data=None, seed=None,
                 **kwargs):
        super().__init__(
            network, likelihood, prior_scale=prior_scale, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, num_data=num_data,
            seed=seed, **kwargs)
        for name, value, least in (("burn_in", burn_in, 0), ("thinning", thinning, 1),
                                   ("rank", rank, 2)):
            if not isinstance(value, (int, np.integer)) or value < least:
                raise ValueError(f"Expected a whole number of at least {least}. "
                                 f"Received: {name}={value!r}")
        if not scale >= 0:
            raise ValueError("Expected a factor that is not negative. Received: "
                             f"scale={scale}")
        self.burn_in = burn_in
        self.thinning = thinning
        self.rank = rank
        self.scale = scale

    @property
    def draws_differ(self):
        """With a scale of 0 all draws are the averaged network."""
        return self.scale > 0

    def build(self, input_shape):
        super().build(input_shape)
        for layer in keras_internals.layers(self.network):
            if isinstance(layer, keras.layers.BatchNormalization) and layer.trainable:
                raise ValueError(
                    "Expected a network without statistics of the data, which would "
                    "be wrong for weights that are drawn: use `LayerNormalization` or "
                    "`GroupNormalization`, or freeze the layer by `trainable = False`. "
                    f"Received: layer {layer.name} of type {type(layer).__name__}")
        self._rows_of_build = input_shape
        self.flat = FlatWeights(self.network)
        if 4 * self.rank * self.flat.size > _BUDGET:
            raise ValueError(
                "Expected deviations that fit into 4 GiB: take a lower rank. Received: "
                f"rank={self.rank} for {self.flat.size} weights")
        self.mean = self._state("mean", (self.flat.size,))
        self.variance = self._state("variance", (self.flat.size,))
        self.deviations = self._state("deviations", (self.rank, self.flat.size))
        self.num_collected = self._state("num_collected", (), "int32")

    def _state(self, name, shape, dtype="float32"):
        return self.add_weight(
            name=name, shape=shape, dtype=dtype, initializer="zeros",
            trainable=False, autocast=False, aggregation="only_first_replica")

    def compile(self, optimizer="sgd", **kwargs):
        """Compiles as in Keras.

        Args:
            optimizer: Name of an optimiser of Keras, or an optimiser. The method is
                meant for `keras.optimizers.SGD` at a constant learning rate.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer, **kwargs)

    def update(self, gradients, key):
        super().update(gradients, key)
        self._collect(tf.cast(self.optimizer.iterations, tf.int32) - self.burn_in)

    def _collect(self, step):
        """Adds the weights after a step to the moments, if it is their turn."""
        due = (step > 0) & (step % self.thinning == 0)
        before = tf.convert_to_tensor(self.num_collected)
        share = tf.where(due, 1.0 / tf.cast(before + 1, tf.float32), 0.0)
        weights, mean = self._current(), tf.convert_to_tensor(self.mean)
        moved = mean + share * (weights - mean)
        # E[w**2] - mean**2 would cancel to nothing in float32.
        spread = (weights - mean) * (weights - moved)
        self.variance.assign_add(share * (spread - self.variance))
        self.mean.assign(moved)
        slot = [before % self.rank]
        rows = tf.where(due, (weights - moved)[None],
                        tf.gather(self.deviations.value, slot))
        self.deviations.value.scatter_update(tf.IndexedSlices(rows, slot))
        self.num_collected.assign_add(tf.cast(due, tf.int32))

    def _current(self):
        """The weights of the network as they are now, `[D]`."""
        return self.flat.flatten([w.value for w in self.network.weights])

    def draw_parts(self, inputs, num_samples, key):
        keys = noise.split(key, num_samples)
        collected = tf.convert_to_tensor(self.num_collected)
        # Validation in burn-in uses the current weights.
        centre = tf.where(collected > 0, self.mean, self._current())
        columns = tf.clip_by_value(collected, 2, self.rank)
        wide = self.scale * tf.sqrt(0.5 * tf.convert_to_tensor(self.variance))
        tall = self.scale / tf.sqrt(2.0 * tf.cast(columns - 1, tf.float32))
        deviations = tall * tf.convert_to_tensor(self.deviations)

        def vector(draw_key):
            across = noise.normal([self.rank], noise.fold_in(draw_key, 0))
            along = noise.normal([self.flat.size], noise.fold_in(draw_key, 1))
            return centre + wide * along + tf.linalg.matvec(
                deviations, across, transpose_a=True)

        def vectors(places):
            if not self.scale:
                return tf.tile(centre[None], [tf.shape(places)[0], 1])
            return tf.map_fn(vector, tf.gather(keys, tf.minimum(
                places, num_samples - 1)), fn_output_signature=tf.float32)

        return lambda first, count: self.flat.outputs(
            lambda places: vectors(first + places), count, inputs)

    def check_ready(self):
        super().check_ready()
        if not int(self.num_collected.numpy()):
            steps = int(self.optimizer.iterations.numpy()) if self.compiled else 0
            raise ValueError(
                "Expected collected weights for a prediction, but there are none yet: "
                f"go on with `fit`. Received: burn_in={self.burn_in}, thinning="
                f"{self.thinning}, and {steps} steps")

    def averaged(self):
        """Returns the network of the mean weights (SWA) as a plain Keras model."""
        self.check_ready()
        network = cloning.clone(self.network)
        network(input_form.blank_rows(self.network, self._rows_of_build))
        parts = self.flat.unflatten(tf.convert_to_tensor(self.mean))
        for mine, part in zip(network.weights, parts, strict=True):
            mine.assign(part)
        return network

    def get_config(self):
        return {**super().get_config(), "burn_in": self.burn_in,
                "thinning": self.thinning, "rank": self.rank, "scale": self.scale}
