"""A training that is killed in mid-epoch, and then continued."""

import keras
import numpy as np
import pytest


class _Kill(keras.callbacks.Callback):
    """Ends the training after a step.

    Args:
        step: Integer, counted over epochs.
    """

    def __init__(self, step):
        super().__init__()
        self.step = step

    def on_train_batch_end(self, batch, logs=None):
        if int(self.model.optimizer.iterations) == self.step:
            raise KeyboardInterrupt


def whole_and_resumed(make, fit, folder, step):
    """A model that was trained at once, and one that was killed and made again.

    Args:
        make: Function without arguments that returns a compiled model.
        fit: Function that trains a model, with options of `fit`.
        folder: Folder of the checkpoints.
        step: Integer, the step after which the second one is killed.

    Returns:
        Both models, whose weights are equal to the bit.
    """
    def fresh():
        # Names of layers begin anew, as in a new process: TensorFlow adds gradients in
        # an order that depends on them.
        keras.backend.clear_session()
        return make()

    whole = fresh()
    fit(whole, checkpoint_dir=folder / "whole")
    with pytest.raises(KeyboardInterrupt):
        fit(fresh(), checkpoint_dir=folder / "killed", callbacks=[_Kill(step)])
    resumed = fresh()
    fit(resumed, checkpoint_dir=folder / "killed")
    for mine, other in zip(whole.weights, resumed.weights, strict=True):
        np.testing.assert_array_equal(mine, other, err_msg=mine.path)
    return whole, resumed
