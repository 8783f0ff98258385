"""Codes of a mixture: which component an input is of, and where in each it lies."""

import typing

import numpy as np


class MixtureCode(typing.NamedTuple):
    """Probabilities of the components `[B, K]`, and a Gaussian code in each.

    `mean` and `scale` are `[B, K, D]`: the code of an input if it is of component k.
    """

    probs: np.ndarray
    mean: np.ndarray
    scale: np.ndarray

    @property
    def label(self):
        """The most probable component of each input, `[B]`."""
        return np.argmax(self.probs, axis=-1)

    @property
    def entropy(self):
        """Entropy of the component of each input in nats, `[B]`: high is vague."""
        logs = np.log(np.maximum(self.probs, np.finfo("float32").tiny))
        return -np.sum(self.probs * logs, axis=-1)
