"""Base class of priors over the weights of a layer."""

import keras


class Prior(keras.layers.Layer):
    """Computes the KL divergence of a factorised normal posterior from the prior.

    A prior is a Keras layer, because its parameters may be learnt or stored. A
    subclass writes `divergence`.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def divergence(self, mean, scale, log_scale, key):
        """KL divergence of the posterior from this prior, summed over weights.

        Args:
            mean: Tensor, means of the posterior.
            scale: Tensor, standard deviations of the posterior.
            log_scale: Tensor, logarithm of `scale`, exact even if the scale is too
                small for float32.
            key: Noise key, for a prior whose divergence is estimated by a draw.

        Returns:
            Scalar tensor, in nats.
        """
        raise NotImplementedError


def check_scale(name, scale):
    """Raises a `ValueError` if a standard deviation is not positive."""
    if not scale > 0:
        raise ValueError("Expected a positive standard deviation. Received: "
                         f"{name}={scale}")
