"""Laplace approximation: a Gaussian posterior around the weights of a trained network.

    q(w)    = N(w_trained, (num_data H + precision I)^-1)
    outputs = f(x) + J(x) (w - w_trained),      J = d f / d w at the trained weights

H is the mean over rows of J' A J, with A the curvature of the loss of a row in the
outputs. Nothing is trained: `fit` makes one pass of the data. The outputs are those of
the linearised network, which is what H belongs to, so that they are Gaussian. Their
moments give the averaged prediction in closed form: exactly for numbers, by the probit
approximation or the Laplace bridge for classes. Draws of the weights give the rest,
such as the mutual information.

Reference: MacKay, A Practical Bayesian Framework for Backpropagation Networks, Neural
Computation 1992; Daxberger et al., Laplace Redux - Effortless Bayesian Deep Learning,
NeurIPS 2021; Immer, Korzepa and Bauer, Improving Predictions of Bayesian Neural Nets
via Local Linearization, AISTATS 2021.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, noise
from bdlzoo.families import adaptation, evidence, output_curvature
from bdlzoo.families.all_layers import AllLayers
from bdlzoo.families.diagonal_posterior import DiagonalPosterior
from bdlzoo.families.full_posterior import FullPosterior
from bdlzoo.families.gaussian_output_model import PREDICTIVES, GaussianOutputModel
from bdlzoo.families.kronecker_posterior import KroneckerPosterior
from bdlzoo.families.last_layer import LastLayer
from bdlzoo.model import model_metrics

_SELECTIONS = {"last": LastLayer, "all": AllLayers}
_STRUCTURES = {"full": FullPosterior, "kronecker": KroneckerPosterior,
               "diagonal": DiagonalPosterior}
_FOUND = "marginal_likelihood"
_ROWS = 256  # Rows of a batch of arrays, which has no effect on the result.


# A likelihood is registered as `Laplace`.
@keras.saving.register_keras_serializable(package="bdlzoo", name="LaplaceApproximation")
class Laplace(GaussianOutputModel):
    """Puts a Gaussian posterior around the weights of a trained network.

    Args:
        network: Trained Keras model whose outputs the likelihood reads: logits for
            classes, means for numbers. Its weights do not change.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, a dictionary with such a name under `type` and options beside
            it, or an object of `bdlzoo.likelihoods`. A noise scale that is learnt is
            fitted by the marginal likelihood.
        select: Layers with a posterior: `"last"`, or `"all"` that are dense or
            convolutional.
        structure: Structure of the curvature: `"kronecker"`, `"diagonal"`, or `"full"`
            for the last layer.
        prior_scale: Standard deviation of the zero-mean Gaussian prior on the weights:
            a float, a list of one for each layer, or `"marginal_likelihood"`, which
            finds it in `fit`.
        prior_per_layer: Bool, whether each layer has its own scale of the prior, if it
            is found.
        predictive: How the averaged prediction of classes is computed: `"probit"`,
            `"bridge"`, `"samples"` of the linearised network, or `"weights"`, samples
            of the weights of the network itself. Numbers have a closed form for the
            first three.
        allow_untrained: Bool, whether a network with initial weights is accepted.
        num_samples: Integer, draws at prediction.
        num_data: Integer, rows that the posterior is for; `None` takes those that `fit`
            has seen.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.Laplace(trained_network, likelihood="categorical")
        model.fit(x, y)  # One pass.
        model.predict_uncertainty(x_test).mutual_information
    """

    log_names = ("loss", "nll")
    needs_num_data = False
    predictives = (*PREDICTIVES, "weights")
    free_weights = ("input_basis", "output_basis")  # The sign of a vector, and more.
    inapplicable = {"resume": "a pass of the data is one epoch"}

    def __init__(self, network, likelihood="categorical", select="last",
                 structure="kronecker", prior_scale=_FOUND, prior_per_layer=False,
                 predictive="probit", allow_untrained=False, num_samples=32,
                 num_data=None, seed=None, **kwargs):
        for name, value, known in (("select", select, tuple(_SELECTIONS)),
                                   ("structure", structure, tuple(_STRUCTURES))):
            if value not in known:
                raise ValueError(f"Expected one of {known}. Received: {name}={value!r}")
        if (select, structure) == ("all", "full"):
            raise ValueError(
                "Expected structure=\"kronecker\" or \"diagonal\" for all layers. "
                f"Received: structure={structure!r} with select={select!r}")
        told = prior_scale == _FOUND if isinstance(prior_scale, str) else (
            np.min(prior_scale) > 0)
        if not told:
            raise ValueError(
                f"Expected a positive standard deviation, a list of them, or {_FOUND!r}"
                f". Received: prior_scale={prior_scale!r}")
        if isinstance(network, keras.Model):
            adaptation.check_trained(network, allow_untrained)
        super().__init__(network, likelihood, predictive=predictive,
                         num_samples=num_samples, num_data=num_data, seed=seed,
                         **kwargs)
        self.select = select
        self.structure = structure
        self.prior_scale = prior_scale
        self.prior_per_layer = prior_per_layer
        self.allow_untrained = allow_untrained

    @property
    def trainable_variables(self):
        return []  # The network stays as it is.

    def build(self, input_shape):
        super().build(input_shape)
        self._view = _SELECTIONS[self.select](self.network)
        coupled = output_curvature.is_coupled(self.likelihood)
        with tf.init_scope():
            self.posteriors = [_STRUCTURES[self.structure](shape, coupled)
                               for shape in self._view.shapes]
            for posterior in self.posteriors:
                posterior.build()
            self._given_precisions()  # Raises for a wrong number of them.
            self.rows, self.mean_nll, self.mean_weight, self.precisions = (
                self.add_weight(
                    name=name, shape=shape, initializer="zeros", trainable=False,
                    autocast=False, aggregation="only_first_replica")
                for name, shape in (("rows", ()), ("mean_nll", ()), ("mean_weight", ()),
                                    ("precisions", (len(self.posteriors),))))

    # The pass of the data.

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, **kwargs):
        """Makes one pass of the data; a later `fit` forgets what was there before.

        Args:
            x: Inputs, as arrays, or a dataset of pairs `(x, y)`.
            y: Targets; `None` for a dataset.
            batch_size: Integer, rows that are read at once; `None` is 256 for arrays.
            epochs: Integer, must be 1: the curvature at fixed weights needs one pass.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        if epochs != 1:
            raise ValueError(
                "Expected one pass of the data: the weights do not change, so that a "
                f"second one would find the same. Received: epochs={epochs}")
        if not self.compiled:
            self.compile()
        if batches.is_arrays(x):
            batch_size = batch_size or _ROWS
        return super().fit(x, y, batch_size, epochs, verbose,
                           [_Settling(), *(callbacks or [])], **kwargs)

    def _begin(self, data, validation_data, class_weight, num_data):
        super()._begin(data, validation_data, class_weight, num_data)
        self.num_data.assign(num_data or self.fixed_num_data or 0)
        with self.distribute_strategy.scope():
            for posterior in self.posteriors:
                posterior.clear()
            for state in (self.rows, self.mean_nll, self.mean_weight):
                state.assign(0.0)

    def train_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        self.build_once(x)
        run = self._view.run(x)
        outputs = run[0]
        nll = -self.likelihood.log_prob(y, outputs[None])[0]  # [B]
        counted = self.positions(nll, y, outputs[None], sample_weight)
        weights = counted.row_weights
        weights = tf.ones_like(nll) if weights is None else weights
        sums = self._view.sums(self.posteriors, run, *output_curvature.terms(
            self.likelihood, outputs), weights)
        sums, losses, weighed, count = _of_all_replicas((
            sums, tf.reduce_sum(weights * nll), tf.reduce_sum(weights),
            tf.cast(tf.shape(nll)[0], tf.float32)))
        self.rows.assign_add(count)
        for posterior, part in zip(self.posteriors, sums, strict=True):
            posterior.add(part, count, tf.convert_to_tensor(self.rows))
        for mean, total in ((self.mean_nll, losses), (self.mean_weight, weighed)):
            mean.assign_add((total - count * mean) / self.rows)
        results = self.track({"loss": counted.mean(nll), "nll": counted.mean(nll)},
                             tf.shape(nll)[0])
        results.update(model_metrics.update(
            self._metrics_of.train, y, self.likelihood.prediction(outputs[None]),
            counted))
        return self.reduced(results)

    def settle(self):
        """Finds the scale of the prior and makes the posterior, after the pass."""
        with self.distribute_strategy.scope():
            if not float(self.num_data.numpy()):
                self.num_data.assign(self.rows)
            for posterior in self.posteriors:
                posterior.decompose()
            if getattr(self.likelihood, "learn_noise", False):
                self._settle_noise()
            precisions = self._given_precisions() or evidence.best_precisions(
                self._evidences(), self.prior_per_layer)
            self.precisions.assign(precisions)
            for posterior, precision in zip(self.posteriors, precisions):
                posterior.settle(float(self.num_data.numpy()), precision)

    def _settle_noise(self):
        """Fits the noise by the evidence; the curvature and the loss follow it."""
        log_noise, weight = self.likelihood.log_noise, float(self.mean_weight.numpy())
        if log_noise.shape != (1,):
            raise ValueError(
                "Expected one output if the noise is learnt: give the noise, as "
                "`Gaussian(noise_scale=...)`. Received: learn_noise=True with outputs "
                f"of shape {tuple(log_noise.shape)}")
        start, count = float(log_noise.numpy()[0]), float(self.num_data.numpy())
        constant = start + 0.5 * np.log(2.0 * np.pi)
        errors = 2.0 * (float(self.mean_nll.numpy()) - weight * constant)
        factor = evidence.best_noise(
            self._evidences(), self.prior_per_layer, count * weight, count * errors,
            self._given_precisions())
        log_noise.assign([start + np.log(factor)])
        self.mean_nll.assign(weight * (constant + np.log(factor))
                             + 0.5 * errors / factor**2)
        for posterior in self.posteriors:
            posterior.scale(factor**-2)
            posterior.decompose()

    # What a user calls.

    def log_marginal_likelihood(self, prior_scale=None):
        """Evidence of the data in nats, by the Laplace approximation.

        Args:
            prior_scale: Standard deviation of the prior, or a list of one for each
                layer; `None` takes that of the model, given or found.
        """
        self.check_ready()
        precisions = self.precisions.numpy().astype("float64") if (
            prior_scale is None) else self._precisions(prior_scale)
        count = float(self.num_data.numpy())
        return float(evidence.log_marginal_likelihood(
            self._evidences(), precisions, -count * float(self.mean_nll.numpy())))

    @property
    def prior_scales(self):
        """Standard deviation of the prior of each layer, given or found: floats."""
        self.check_ready()
        return [float(precision**-0.5) for precision in self.precisions.numpy()]

    def facts(self):
        return {**super().facts(), "prior_scale": self.prior_scales[0],
                "log_marginal_likelihood": self.log_marginal_likelihood()}

    # The machinery.

    def check_ready(self):
        super().check_ready()
        if not float(self.rows.numpy()):
            raise ValueError("Expected a posterior: call `fit(x, y)`, which makes one "
                             "pass of the training data, first. Received: no data yet")

    def output_draw(self, inputs):
        linear = self.predictive != "weights"
        moved = self._view.moving(self._view.run(inputs), inputs, linear)
        drawings = [posterior.drawing() for posterior in self.posteriors]
        return lambda key: moved([drawing(noise.fold_in(key, place))
                                  for place, drawing in enumerate(drawings)])

    def output_moments(self, inputs):
        run = self._view.run(inputs)
        return run[0], *self._view.moments(self.posteriors, run)

    def _evidences(self):
        """Evidence of each layer, from its eigenvalues and its weights."""
        count = float(self.num_data.numpy())
        return [evidence.LayerEvidence(count * posterior.spectrum(), float(
            np.sum(matrix.numpy().astype("float64")**2))) for posterior, matrix
            in zip(self.posteriors, self._view.matrices(), strict=True)]

    def _given_precisions(self):
        """Precisions of the prior, one for each layer; `None` if they are found."""
        return None if self.prior_scale == _FOUND else (
            self._precisions(self.prior_scale))

    def _precisions(self, scale):
        scales = np.ravel(scale).astype("float64")
        if len(scales) not in (1, len(self.posteriors)):
            raise ValueError(
                f"Expected one scale of the prior, or {len(self.posteriors)}, one for "
                f"each layer with a posterior. Received: prior_scale={scale!r}")
        return np.broadcast_to(scales**-2.0, [len(self.posteriors)]).tolist()

    def get_config(self):
        config = super().get_config()
        for name in ("num_train_samples", "kl_weight"):  # Nothing is trained.
            del config[name]
        return {**config, **{name: getattr(self, name) for name in (
            "select", "structure", "prior_scale", "prior_per_layer",
            "allow_untrained")}}

    @classmethod
    def from_config(cls, config):
        # The trained weights are loaded after it is made.
        model = super().from_config({**config, "allow_untrained": True})
        model.allow_untrained = config["allow_untrained"]
        return model


class _Settling(keras.callbacks.Callback):
    """Makes the posterior once the data have passed, before a validation."""

    def on_epoch_begin(self, epoch, logs=None):
        self.settled = False

    def on_test_begin(self, logs=None):
        if not self.settled:
            self.model.settle()
            self.settled = True

    def on_epoch_end(self, epoch, logs=None):
        self.on_test_begin()


def _of_all_replicas(sums):
    """Sums over the replicas of a strategy."""
    context = tf.distribute.get_replica_context()
    if context.num_replicas_in_sync == 1:
        return sums
    return context.all_reduce(tf.distribute.ReduceOp.SUM, sums)
