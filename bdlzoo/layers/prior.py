"""What all priors over the weights of a layer share."""

import keras


class Prior(keras.layers.Layer):
    """Measures how far a factorised normal posterior is from it.

    A Keras layer, since its own parameters may be learnt or stored.
    """

    def divergence(self, mean, scale, log_scale, key):
        """KL from this prior to the posterior in nats, summed over weights.

        Args:
            mean: Tensor, means of the posterior.
            scale: Tensor, standard deviations of the posterior.
            log_scale: Tensor, their logarithm, which is exact where the scale
                itself would vanish in float32.
            key: Noise key, for a prior whose divergence must be sampled.
        """
        raise NotImplementedError


def check_scale(name, scale):
    """Raises where a standard deviation is not positive."""
    if not scale > 0:
        raise ValueError("Expected a positive standard deviation. Received: "
                         f"{name}={scale}")
