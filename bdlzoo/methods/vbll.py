"""Variational Bayesian last layer: a Gaussian posterior of the last layer, no sampling.

    q(w_o) = N(mean_o, S_o) for the weights of output o,     x the inputs of the layer
    numbers   E log p(y) = log N(y | x mean, noise**2) - x S x' / (2 noise**2)
    classes   E log p(y) >= x mean_y - log sum of exp(x mean_o + x S_o x' / 2)
    loss = - mean over rows + kl_weight * KL(q || N(0, prior_scale**2)) / num_data

The layers below are trained as points along with the posterior. For numbers the bound
is the evidence bound itself, and the prediction N(x mean, x S x' + noise**2) is exact.
For classes Jensen's inequality bounds the expected log of the normaliser. The paper has
further noise on the logits, and a prior on the noise of numbers: here it is that of the
likelihood, given or learnt.

Reference: Harrison, Willes and Snoek, Variational Bayesian Last Layers, ICLR 2024.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families.gaussian_output_model import GaussianOutputModel
from bdlzoo.families.last_layer import LastLayer
from bdlzoo.likelihoods import Categorical, Gaussian
from bdlzoo.model.objective import seen

_STRUCTURES = ("dense", "diagonal")
_LARGEST = 2**27  # Numbers in the covariances of all outputs: 512 MB.


@keras.saving.register_keras_serializable(package="bdlzoo")
class VBLL(GaussianOutputModel):
    """Trains a network whose last layer has a posterior.

    Args:
        network: Functional or Sequential Keras model that ends in a
            `keras.layers.Dense` without activation, which gives logits for classes and
            means for numbers.
        likelihood: Likelihood of the targets: `"categorical"`, `"gaussian"`, a
            dictionary with such a name under `type` and options beside it, or an object
            of `bdlzoo.likelihoods`.
        structure: Structure of the covariance of the weights of an output: `"dense"` or
            `"diagonal"`.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights of the last layer.
        init_scale: Float, standard deviation of the outputs at the start, for inputs of
            the last layer with a mean square of one.
        predictive: How the averaged prediction of classes is computed: `"probit"`,
            `"bridge"` or `"samples"`. Numbers have a closed form.
        num_samples: Integer, draws at prediction.
        kl_weight: Float, weight of the divergence from the prior; 1 gives the evidence
            bound.
        num_data: Integer, number of training rows, by which the divergence is divided
            in the loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.VBLL(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    def __init__(self, network, likelihood="categorical", structure="dense",
                 prior_scale=1.0, init_scale=0.1, predictive="probit", num_samples=32,
                 kl_weight=1.0, num_data=None, seed=None, **kwargs):
        super().__init__(network, likelihood, predictive=predictive,
                         num_samples=num_samples, kl_weight=kl_weight,
                         num_data=num_data, seed=seed, **kwargs)
        if structure not in _STRUCTURES:
            raise ValueError(f"Expected one of {_STRUCTURES}. Received: "
                             f"structure={structure!r}")
        for name, value in (("prior_scale", prior_scale), ("init_scale", init_scale)):
            if not value > 0:
                raise ValueError("Expected a positive standard deviation. Received: "
                                 f"{name}={value}")
        if not isinstance(self.likelihood, (Categorical, Gaussian)):
            raise ValueError(
                "Expected likelihood=\"categorical\" or \"gaussian\": for two classes, "
                "give the network two outputs. Received: likelihood="
                f"{type(self.likelihood).__name__}")
        self.structure = structure
        self.prior_scale = prior_scale
        self.init_scale = init_scale

    def build(self, input_shape):
        super().build(input_shape)
        self._view = LastLayer(self.network)
        [(inputs, outputs)] = self._view.shapes
        dense = self.structure == "dense"
        if dense and inputs**2 * outputs > _LARGEST:
            raise ValueError(
                "Expected covariances that fit into 512 MB: take "
                f"structure=\"diagonal\". Received: a last layer of {inputs} inputs "
                f"(with the bias) and {outputs} outputs")
        start = math.log(self.init_scale / math.sqrt(inputs))
        self.log_scale = self.add_weight(
            name="log_scale", shape=(outputs, inputs), autocast=False,
            initializer=keras.initializers.Constant(start))
        self.below = self.add_weight(
            name="below", shape=(outputs, inputs, inputs), initializer="zeros",
            autocast=False) if dense else None

    def objective(self, x, y, sample_weight, key):
        with noise.draws(key):  # Of dropout below the last layer.
            outputs, features = self._view.run(x, training=True)
        variance = self._variance(features)
        if isinstance(self.likelihood, Gaussian):
            precision = tf.exp(-2.0 * tf.cast(self.likelihood.log_noise, tf.float32))
            nll = -self.likelihood.log_prob(y, outputs[None])[0] + 0.5 * (
                tf.reduce_sum(precision * variance, axis=-1))
        else:
            nll = -self.likelihood.log_prob(y, outputs[None])[0] + (
                tf.reduce_logsumexp(outputs + 0.5 * variance, axis=-1)
                - tf.reduce_logsumexp(outputs, axis=-1))
        counted = self.positions(nll, y, outputs[None], sample_weight)
        return (self.with_prior(nll, x, counted, key),
                seen(self.likelihood.prediction(outputs[None]), counted))

    def kl(self):
        """Divergence of the posterior of the last layer from its prior, in nats."""
        [mean] = self._view.matrices()
        count, scale = float(mean.shape.num_elements()), self.prior_scale
        squares = tf.reduce_sum(self._root()**2) + tf.reduce_sum(mean**2)
        kl = 0.5 * (squares / scale**2 - count) + count * math.log(scale) - (
            tf.reduce_sum(self.log_scale))
        further = super().kl()  # Of layers below that have a posterior too.
        return kl if further is None else kl + further

    def output_moments(self, inputs):
        outputs, features = self._view.run(inputs)
        variance = self._variance(features)
        return outputs, variance, variance  # No output depends on another one.

    def output_draw(self, inputs):
        moved, root = self._view.moving(self._view.run(inputs), inputs), self._root()
        product = tf.multiply if self.below is None else tf.linalg.matvec

        def draw(key):
            normals = noise.normal(self.log_scale.shape, key)  # [O, I]
            return moved([tf.transpose(product(root, normals))])

        return draw

    def _root(self):
        """Roots of the covariances: `[O, I, I]`, lower triangular, or `[O, I]`."""
        scale = tf.exp(tf.convert_to_tensor(self.log_scale))
        if self.below is None:
            return scale
        below = tf.convert_to_tensor(self.below)
        lower = tf.linalg.band_part(below, -1, 0) - tf.linalg.band_part(below, 0, 0)
        return lower + tf.linalg.diag(scale)

    def _variance(self, features):
        """Variances of the outputs, `[B, O]`."""
        root = self._root()
        if self.below is None:
            return tf.matmul(features**2, root**2, transpose_b=True)
        return tf.transpose(tf.reduce_sum(tf.matmul(features, root)**2, axis=-1))

    def get_config(self):
        config = super().get_config()
        del config["num_train_samples"]  # The loss needs no draws.
        return {**config, "structure": self.structure, "prior_scale": self.prior_scale,
                "init_scale": self.init_scale}
