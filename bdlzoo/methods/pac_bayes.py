"""PAC-Bayes: trains a bound on the risk instead of the likelihood.

    risk = mean of min(-log p(y | x, w), ln(1 / p_min)) / ln(1 / p_min),  w ~ q
    c    = (kl_weight * KL(q || prior) + ln(2 sqrt(num_data) / delta)) / num_data

    loss = (sqrt(risk + c/2) + sqrt(c/2))**2                      "quadratic"
    loss = risk / (1 - w/2) + c / (w (1 - w/2)),   0 < w < 2      "lambda"
    loss = risk + sqrt(c / 2)                                     "mcallester"

The cross entropy is cut off at `p_min`, since a bound needs a bounded loss. The
quadratic form is a relaxation of the kl form that has a gradient. The weight w of
the lambda form is trained too. The loss of a batch estimates the bound; the
number to report is the certificate of `bdlzoo.evaluation.pac_bayes`.

Reference: Perez-Ortiz et al., Tighter Risk Certificates for Neural Networks,
JMLR 2021; Thiemann et al., A Strongly Quasiconvex PAC-Bayesian Bound, ALT 2017.
"""

import math

import keras
import tensorflow as tf

from bdlzoo.likelihoods.likelihood import ClassLikelihood
from bdlzoo.model.objective import seen
from bdlzoo.model.predictive_model import PredictiveModel

_BOUNDS = ("quadratic", "lambda", "mcallester")


@keras.saving.register_keras_serializable(package="bdlzoo")
class PACBayes(PredictiveModel):
    """Trains a posterior by minimising a bound on its risk.

    Args:
        network: Keras model that classifies, with variational layers.
        likelihood: Likelihood of classes: `"categorical"`, `"bernoulli"`, a dictionary
            with such a name under `type` and options beside it, or an object of
            `bdlzoo.likelihoods`.
        num_samples: Integer, draws of the weights at prediction.
        num_train_samples: Integer, draws of the weights in a training step.
        kl_weight: Float, weight of the KL in the bound. With a weight below 1 the loss
            is no longer a bound.
        bound: Form of the bound: `"quadratic"`, `"lambda"` or `"mcallester"`.
        delta: Float, probability that the bound fails.
        p_min: Float, probability below which the cross entropy is cut off.
        num_data: Integer, number of training rows, for which the bound holds; `None`
            reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.MLP(
            (784,), layer={"type": "DenseExemplar", "variational_bias": True})
        model = bdlzoo.methods.PACBayes(network, bound="quadratic")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
    """

    log_names = ("loss", "nll", "kl", "bounded_loss")

    def __init__(self, network, likelihood="categorical", num_samples=32,
                 num_train_samples=1, kl_weight=1.0, bound="quadratic", delta=0.05,
                 p_min=1e-5, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight, num_data=num_data,
            seed=seed, **kwargs)
        if not isinstance(self.likelihood, ClassLikelihood):
            raise ValueError(
                "Expected a likelihood of classes: the loss of real targets is not "
                f"bounded. Received: likelihood={self.likelihood.name}")
        if bound not in _BOUNDS:
            raise ValueError(f"Expected one of {_BOUNDS}. Received: bound={bound!r}")
        for name, value in (("delta", delta), ("p_min", p_min)):
            if not 0 < value < 1:
                raise ValueError("Expected a probability above 0 and below 1. "
                                 f"Received: {name}={value}")
        self.bound = bound
        self.delta = delta
        self.p_min = p_min
        self.raw_weight = self.add_weight(  # A weight of 1, half way.
            name="raw_weight", initializer="zeros") if bound == "lambda" else None

    def build(self, input_shape):
        super().build(input_shape)
        self.refuse_positions(self.output_shape_of(input_shape), "the bound holds for "
                              "independent rows, and positions of a row are not")
        if self.kl() is None:
            raise ValueError(
                "Expected a network with variational layers, such as "
                "`DenseExemplar`: without a KL there is no bound. Received: "
                f"network={self.network.name}")

    def objective(self, x, y, sample_weight, key):
        if sample_weight is not None:
            raise ValueError("Expected no weights of rows or classes: the bound "
                             "holds for the plain mean. Received: sample_weight")
        draws = self.train_draws(x, key)
        nll = -self.likelihood.log_prob(y, draws)  # [S, B]
        counted = self.positions(nll[0], y, draws)
        ceiling = -math.log(self.p_min)
        risk = counted.mean(tf.reduce_mean(tf.minimum(nll, ceiling), axis=0)) / ceiling
        kl = self.kl()
        # Regularisers of the network are added to the bound.
        loss = tf.add_n([self.bound_on(risk, kl), *self.network.losses])
        logs = {"loss": loss, "nll": counted.mean(tf.reduce_mean(nll, axis=0)),
                "kl": kl, "bounded_loss": risk}
        return logs, seen(self.likelihood.prediction(draws), counted)

    def bound_on(self, risk, kl):
        """The bound that is trained, from a risk in [0, 1] and nats."""
        price = tf.math.log(2.0 * tf.sqrt(self.num_data) / self.delta)
        # Cut off at zero: rounding can make the KL negative if q is the prior.
        cost = (self.kl_weight * tf.maximum(kl, 0.0) + price) / self.num_data
        if self.bound == "mcallester":
            return risk + tf.sqrt(cost / 2.0)
        if self.bound == "quadratic":
            return tf.square(tf.sqrt(risk + cost / 2.0) + tf.sqrt(cost / 2.0))
        weight = self.weight
        rest = 1.0 - weight / 2.0
        return risk / rest + cost / (weight * rest)

    @property
    def weight(self):
        """The weight of the lambda form, in (0, 2)."""
        return 2.0 * tf.sigmoid(self.raw_weight)

    def get_config(self):
        return {**super().get_config(), "bound": self.bound, "delta": self.delta,
                "p_min": self.p_min}
