"""Weights and losses that are no numbers end a training, and reach no file.

The loss alone proves nothing. On CPUs the fused product, bias and ReLU maps NaN to 0,
so that the loss stays finite while the first kernel is NaN.
"""

import re

import keras
import numpy as np

from bdlzoo.core import batches
from bdlzoo.model import checkpoint

_LOSS = re.compile(r"(?!val_)(.+_)?loss")  # Of the training; there may be several.


class FiniteWeights:
    """Part of `StochasticModel`: no weight that is NaN or infinite is written."""

    kept_weights = ()  # Attributes: weights that are looked at only before a file.
    free_weights = ()  # Names: weights that rounding may change, such as a basis.

    def unbounded_weights(self):
        """Weights that may be infinite."""
        return []

    def check_weights(self, kept=True):
        """Raises a `FloatingPointError` that names a weight with NaN or infinity.

        Args:
            kept: Bool, whether `kept_weights` are looked at too, which may be many.
        """
        unbounded = {id(weight) for weight in self.unbounded_weights()}
        passed = set() if kept else {
            id(getattr(self, name, None)) for name in self.kept_weights}
        for weight in self.weights:
            if id(weight) in passed or not batches.has_floats(weight):
                continue
            values = weight.numpy()
            wrong = np.isnan if id(weight) in unbounded else _no_number
            if not batches.all_finite(values, weight.dtype) and wrong(values).any():
                raise FloatingPointError(
                    "Expected finite weights: train again from a checkpoint with a "
                    "lower learning rate, or look for extreme inputs. Received: "
                    f"{int(wrong(values).sum())} of {values.size} numbers of "
                    f"{weight.path} that are NaN or infinite")

    def save(self, filepath, overwrite=True, zipped=None, **kwargs):
        """As in Keras, once all weights are found to be finite."""
        self.check_weights()
        return super().save(filepath, overwrite, zipped, **kwargs)

    def save_weights(self, filepath, overwrite=True, **kwargs):
        """As in Keras, once all weights are found to be finite."""
        self.check_weights()
        return super().save_weights(filepath, overwrite, **kwargs)


class FiniteTraining(keras.callbacks.Callback):
    """Ends a training after an epoch whose losses or weights are not finite.

    Args:
        folder: Folder of the checkpoints; `None` if there are none.
    """

    def __init__(self, folder=None):
        super().__init__()
        self.folder = folder

    def on_epoch_end(self, epoch, logs=None):
        for name, value in (logs or {}).items():
            value = float(np.mean(value))
            if _LOSS.fullmatch(name) and not np.isfinite(value):
                raise self._error(f"The {name} of epoch {epoch + 1} is {value}: lower "
                                  "the learning rate, or look for extreme inputs")
        try:
            self.model.check_weights(kept=False)
        except FloatingPointError as error:
            raise self._error(f"{error}, after epoch {epoch + 1}") from None

    def _error(self, reason):
        good = [] if self.folder is None else checkpoint.finished(self.folder)
        last = f"the last good checkpoint is {good[-1]}" if good else (
            "there is no checkpoint yet" if self.folder is not None else
            "there is no checkpoint, since `fit` had no `checkpoint_dir`")
        return FloatingPointError(f"{reason}. Nothing was restored; {last}.")


def _no_number(values):
    return ~np.isfinite(values)
