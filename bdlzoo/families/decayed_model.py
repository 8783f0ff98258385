"""Base class of posteriors with two optimisers and weight decay as prior.

    g_mean = d nll / d mean + decay * (mean - anchor)
    g_psi  = d nll / d psi + decay * exp(2 psi) - 1 / num_data

that is, loss = nll + KL(q || N(anchor, 1 / (decay num_data))) / num_data. The
divergence is shown in the logs and never differentiated: see `bdlzoo.families.decay`.
One optimiser moves the means and the weights that are points, another the log-scales
psi.
"""

import keras
import tensorflow as tf

from bdlzoo.core import stacking
from bdlzoo.core.replicas import share_of
from bdlzoo.families import decay
from bdlzoo.model.predictive_model import PredictiveModel


class DecayedModel(PredictiveModel):
    """Adds the gradients of the divergence in closed form.

    Args:
        network: Keras model with variational layers that have
            `scale_transform="exp"`, or with mixtures.
        likelihood: Name, spec or `Likelihood` of the targets.
        weight_decay: Float, weight decay that the network was trained with; it sets
            the scale of the prior.
        prior_scale: Float, standard deviation of the prior, used instead of
            `weight_decay`; `None` for `weight_decay`.
        prior_at_trained: Bool, whether the prior is centred at the weights that the
            model starts from; otherwise at zero.
        **kwargs: Arguments of `PredictiveModel`: `num_samples`,
            `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    optimizer_names = ("optimizer", "scale_optimizer")

    def __init__(self, network, likelihood="categorical", *, weight_decay=1e-4,
                 prior_scale=None, prior_at_trained=False, **kwargs):
        super().__init__(network, likelihood, **kwargs)
        for name, value in (("weight_decay", weight_decay),
                            ("prior_scale", 1.0 if prior_scale is None
                             else prior_scale)):
            if not value > 0:
                raise ValueError(f"Expected a number above 0. Received: {name}={value}")
        self.weight_decay = weight_decay
        self.prior_scale = prior_scale
        self.prior_at_trained = prior_at_trained

    def build(self, input_shape):
        super().build(input_shape)
        weights = decay.weights(self.network)
        self._decayed = stacking.Untracked(weights)
        self.anchors = [self.add_weight(
            name=f"anchor_{place}", shape=weight.mean.shape, trainable=False,
            autocast=False, initializer=_value_of(weight.mean))
            for place, weight in enumerate(weights) if self.prior_at_trained]
        if self.compiled:
            self.build_optimizers()

    def compile(self, optimizer=None, scale_optimizer=None, **kwargs):
        """Compiles as in Keras, with optimisers for means and for log-scales.

        Args:
            optimizer: Optimiser of means and points; `None` is SGD with learning
                rate 0.001. Use the rate at the end of the network's training.
            scale_optimizer: Optimiser of log-scales; `None` is SGD with learning
                rate 0.1. Adam would move all of them at the same speed, whatever
                their gradients.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer or _sgd(1e-3), **kwargs)
        self.scale_optimizer = keras.optimizers.get(scale_optimizer or _sgd(0.1))
        for each in (self.optimizer, self.scale_optimizer):
            if getattr(each, "weight_decay", None):
                raise ValueError(
                    "Expected optimisers without weight decay, which is the prior: "
                    "give it to the model as `weight_decay`. Received: "
                    f"{type(each).__name__} with weight_decay={each.weight_decay}")
        if self.built:
            self.build_optimizers()

    def decay(self):
        """Factor of the pull of means to their anchors."""
        if self.prior_scale is None:
            return self.weight_decay
        return 1.0 / (self.prior_scale**2 * self.data_points)

    def kl(self):
        """Nats from prior to posterior, without a gradient: `update` adds it."""
        precision = self.decay() * self.data_points
        return tf.stop_gradient(tf.add_n([
            weight.divergence(precision, anchor)
            for weight, anchor in self._anchored()]))

    def update(self, gradients, key):
        slopes = {id(v): 0.0 if g is None else tf.convert_to_tensor(g)
                  for v, g in zip(self.trainable_variables, gradients, strict=True)}
        share = share_of(self.kl_weight, self.optimizer)  # Scaled like the loss.
        for weight, anchor in self._anchored():
            mean, log_scale = weight.pull(self.decay(), self.data_points, anchor)
            slopes[id(weight.mean)] += share * mean
            if log_scale is not None:
                slopes[id(weight.log_scale)] += share * log_scale
        super().update([slopes[id(v)] for v in self.trainable_variables], key)

    def _anchored(self):
        """Weights with the means of their priors."""
        weights = self._decayed.value
        return zip(weights, self.anchors or [0.0] * len(weights), strict=True)

    def variable_groups(self):
        """Means and points (also those of the likelihood), and log-scales."""
        scales = [w.log_scale for w in self._decayed.value if w.log_scale is not None]
        known = set(map(id, scales))
        return [v for v in self.trainable_variables if id(v) not in known], scales

    def served_parts(self):
        return [self.network, self.likelihood, self.calibration]

    def get_config(self):
        return {**super().get_config(), "weight_decay": self.weight_decay,
                "prior_scale": self.prior_scale,
                "prior_at_trained": self.prior_at_trained}


def _sgd(learning_rate):
    return keras.optimizers.SGD(learning_rate, momentum=0.9, nesterov=True)


def _value_of(variable):
    return lambda shape, dtype: tf.cast(tf.reshape(variable, shape), dtype)
