"""What every likelihood offers."""

import keras
import numpy as np


class Likelihood(keras.layers.Layer):
    """Reads network outputs as a density, and draws of them as a prediction.

    A layer, since its noise may be learnt; `build` gets the shape of the
    network's output. A subclass writes `log_prob`, `prediction` and
    `check_targets`, and names in `measures` what `evaluate` reports beside the
    negative log-likelihood, the headline first.
    """

    default_metrics = ()

    def log_prob(self, targets, outputs):
        """Log density `[B]` of each target, `[S, B]` for outputs of draws."""
        raise NotImplementedError

    def prediction(self, draws):
        """Turns raw outputs of draws, `[S, B, ...]`, into a prediction."""
        raise NotImplementedError

    def check_targets(self, targets, output_shape):
        """Raises a `ValueError` where targets do not fit the outputs."""
        raise NotImplementedError


class ClassLikelihood(Likelihood):
    """A likelihood of classes, which reads logits.

    Args:
        from_logits: Bool; `False` reads probabilities, for a network that ends
            in softmax or sigmoid. Logits are what keeps small ones exact.
        **kwargs: See `keras.layers.Layer`.
    """

    def __init__(self, from_logits=True, **kwargs):
        super().__init__(**kwargs)
        self.from_logits = from_logits

    def get_config(self):
        return {**super().get_config(), "from_logits": self.from_logits}


def check_classes(targets, num_classes):
    """Raises where targets are not integers in `[0, num_classes)`, one a row."""
    targets = np.asarray(targets)
    if targets.size != len(targets):
        raise ValueError(
            "Expected one class index a row; turn one-hot rows into indices "
            f"with `labels.argmax(-1)`. Received: targets.shape={targets.shape}")
    wrong = (targets < 0) | (targets >= num_classes) | (targets % 1 != 0)
    if wrong.any():
        raise ValueError(
            f"Expected class indices from 0 to {num_classes - 1}, one for each "
            "output of the network: relabel the data, or give the network more "
            f"outputs. Received: {targets[wrong].ravel()[:3].tolist()} among "
            f"{int(wrong.sum())} wrong labels")


def check_numbers(targets, num_targets):
    """Raises where targets are not `num_targets` finite numbers a row."""
    targets = np.asarray(targets)
    if targets.size != len(targets) * num_targets:
        raise ValueError(
            f"Expected {num_targets} target(s) a row, as the network's output "
            f"says. Received: targets.shape={targets.shape}")
    if not np.isfinite(targets).all():
        raise ValueError(
            "Expected finite targets: drop or fill the rows that are not. "
            f"Received: {int((~np.isfinite(targets)).sum())} that are not finite")
