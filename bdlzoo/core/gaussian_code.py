"""Gaussian codes of inputs, as an encoder gives them."""

import math
import typing

import numpy as np


class GaussianCode(typing.NamedTuple):
    """Mean and scale of the code of each input, `[B, D]`."""

    mean: np.ndarray
    scale: np.ndarray

    @property
    def entropy(self):
        """Entropy of the code of each input in nats, `[B]`: high is vague."""
        each = np.log(self.scale) + 0.5 * math.log(2.0 * math.pi * math.e)
        return each.sum(axis=-1)
