"""Stochastic gradient Hamiltonian Monte Carlo: SGD with momentum that samples.

    v <- (1 - a) v - h g + normal of variance 2 h a T / num_data
    w <- w + v

The friction a is one minus the momentum of the optimiser. Momentum takes chains
farther between samples; at a = 1 this is SGLD.

Reference: Chen et al., Stochastic Gradient Hamiltonian Monte Carlo, ICML 2014.
"""

import keras

from bdlzoo.families.sampler_model import SamplerModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class SGHMC(SamplerModel):
    """Samples by gradient steps with momentum and noise.

    Args:
        *args: See `SamplerModel`.
        **kwargs: See `SamplerModel`.

    Example:

        model = bdlzoo.methods.SGHMC(network, burn_in=500, thinning=100)
        model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
        model.fit(x, y, epochs=20)
    """

    def check_sampler(self):
        if not 0 < self.optimizer.momentum < 1:
            raise ValueError(
                "Expected SGD with a momentum between 0 and 1, such as 0.9; without "
                "it, take `bdlzoo.methods.SGLD`. Received: "
                f"momentum={self.optimizer.momentum}")
