"""Discrete codes of inputs, as an encoder gives them."""

import typing

import numpy as np


class DiscreteCode(typing.NamedTuple):
    """The most probable code of each input, and how sure each variable is."""

    values: np.ndarray  # [B, N]
    probs: np.ndarray  # [B, N, K], of variables without couplings.

    @property
    def entropy(self):
        """Entropy of the code of each input in nats, `[B]`: high is vague."""
        logs = np.log(np.maximum(self.probs, np.finfo("float32").tiny))
        return -np.sum(self.probs * logs, axis=(-2, -1))
