"""Scores on the target after each epoch, where its labels are known.

    target_accuracy             share of rows that are right
    target_ece                  expected calibration error
    pseudo_share                share of rows with a confidence above 0.9
    pseudo_accuracy             share of those that are right

The last two say what the labels are worth that a teacher gives the target.
"""

import keras
import numpy as np
from absl import logging

from bdlzoo.core import batches
from bdlzoo.metrics import ExpectedCalibrationError

_SURE = 0.9  # The published threshold of robust gradient reversal.


class TargetScores(keras.callbacks.Callback):
    """Adds scores on the target to the logs of epochs.

    Args:
        model: `AdaptingModel`.
        x: Arrays of inputs of the target.
        y: Integer classes of these inputs, which are used for nothing else.
    """

    def __init__(self, model, x, y):
        super().__init__()
        self.x, self.y = x, np.asarray(y).reshape(len(np.asarray(y)))
        batches.check_rows(x, self.y)
        size = model.output_shape_of(batches.row_shapes(x))[-1]
        model.likelihood.check_targets(self.y, (None, size))
        logging.info("Labels of the target are used for evaluation only.")
        missing = sorted({*range(size)} - {*self.y.tolist()})
        if missing:
            logging.warning(
                "The target has no rows of the classes %s. Terms that make both "
                "domains look alike, such as those of RevGrad, then bring rows to "
                "wrong classes; those of CAT leave missing classes out.", missing)

    def on_epoch_end(self, epoch, logs=None):
        if logs is not None:
            logs.update(scores(self.model.predict(
                self.x, batch_size=256, verbose=0), self.y))


def scores(probabilities, labels):
    """Scores of probabilities `[N, C]`, a dictionary of floats."""
    labels, confidence = np.asarray(labels), np.max(probabilities, axis=-1)
    right = np.argmax(probabilities, axis=-1) == labels
    ece = ExpectedCalibrationError()
    ece.update_state(labels, probabilities)
    sure = confidence > _SURE
    return {"target_accuracy": float(np.mean(right)), "target_ece": float(ece.result()),
            "pseudo_share": float(np.mean(sure)),
            "pseudo_accuracy": float(np.mean(right[sure])) if sure.any() else 0.0}
