"""Stochastic gradient Langevin dynamics: SGD whose noise makes it sample.

    w <- w - h g + normal of variance 2 h T / num_data

`g` is the gradient of the mean loss, prior and all, of a batch. As h falls, or
where it is small enough, the states are samples of the posterior. On a quadratic
energy of curvature A the stationary variance is known: 1 / (A (1 - e A / 4)) with
e = 2 h / num_data, so that e times the largest curvature should be well below 1.

Reference: Welling and Teh, Bayesian Learning via Stochastic Gradient Langevin
Dynamics, ICML 2011.
"""

import keras

from bdlzoo.families.sampler_model import SamplerModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class SGLD(SamplerModel):
    """Samples by gradient steps with noise.

    Args:
        *args: See `SamplerModel`.
        **kwargs: See `SamplerModel`.

    Example:

        model = bdlzoo.methods.SGLD(network, burn_in=500, thinning=100)
        model.compile(keras.optimizers.SGD(0.05))
        model.fit(x, y, epochs=20)
    """

    def check_sampler(self):
        if self.optimizer.momentum:
            raise ValueError(
                "Expected SGD without momentum; with it, take "
                f"`bdlzoo.methods.SGHMC`. Received: momentum={self.optimizer.momentum}")
