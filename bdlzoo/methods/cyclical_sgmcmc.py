"""Cyclical SG-MCMC: large steps find a mode, small ones with noise sample it.

    h_t = (h_0 / 2) (cos(pi (t mod L) / L) + 1)

The first part of each cycle explores, without noise; in the rest there is noise,
and samples are kept. With momentum the noise is that of SGHMC.

Reference: Zhang et al., Cyclical Stochastic Gradient MCMC for Bayesian Deep
Learning, ICLR 2020.
"""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals
from bdlzoo.families.sampler_model import SamplerModel
from bdlzoo.schedules.cosine_cycles import CosineCycles


@keras.saving.register_keras_serializable(package="bdlzoo")
class CyclicalSGMCMC(SamplerModel):
    """Samples in cycles, whose length is that of the learning rate's.

    Args:
        *args: See `SamplerModel`; `thinning` counts steps of the sampling stages.
        exploration: Float, share of a cycle without noise and samples.
        **kwargs: See `SamplerModel`.

    Example:

        model = bdlzoo.methods.CyclicalSGMCMC(network, thinning=100)
        rate = bdlzoo.CosineCycles(0.1, cycle_steps=5000)
        model.compile(keras.optimizers.SGD(rate))
        model.fit(x, y, epochs=40)
    """

    def __init__(self, *args, exploration=0.8, **kwargs):
        super().__init__(*args, **kwargs)
        if not 0 <= exploration < 1:
            raise ValueError("Expected a share of at least 0 and below 1. Received: "
                             f"exploration={exploration}")
        self.exploration = exploration

    def check_sampler(self):
        self.cycles = keras_internals.schedule(self.optimizer)
        if not isinstance(self.cycles, CosineCycles):
            raise ValueError(
                "Expected a learning rate in cycles: "
                "`keras.optimizers.SGD(bdlzoo.CosineCycles(0.1, cycle_steps=5000))`. "
                "Received: learning_rate="
                f"{self.cycles or float(self.optimizer.learning_rate)}")

    def noise_share(self, step):
        return tf.cast(self.cycles.phase(step) >= self.exploration, tf.float32)

    def pace(self, step):
        return self.noise_share(step)

    def get_config(self):
        return {**super().get_config(), "exploration": self.exploration}
