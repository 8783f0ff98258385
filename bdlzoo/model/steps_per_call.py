"""The number of steps that one call of a compiled function takes.

A call costs as much as a step of a small network, so that several steps share one.
"""

import math

import keras

from bdlzoo.core import batches

_HOOKS = ("on_train_batch_begin", "on_train_batch_end", "on_batch_begin",
          "on_batch_end")
_SMALL = 1_000_000  # Weights below which calling the step costs as much as it.


def choose(model, data, stream, steps, callbacks=()):
    """Several steps a call for small models, a divisor of all of them.

    Args:
        model: `StochasticModel`.
        data: `TrainingData`; an `Experience` acts with the weights of each step, so
            that each is a call.
        stream: What Keras trains on.
        steps: Integer, steps of an epoch; `None` reads them from the stream.
        callbacks: Callbacks of `fit`; those of batches are called after each step.
    """
    if any(map(_acts_on_batches, callbacks or ())):
        return 1
    if steps is None:
        steps = batches.num_batches(stream) or 1
    alone = model.distribute_strategy.num_replicas_in_sync == 1
    small = model.built and _num_weights(model) <= _SMALL
    if not alone or not small or data.experience is not None:
        return 1
    return max(count for count in range(1, model.most_steps_per_call + 1)
               if steps % count == 0)


def set_to(model, count):
    """Sets the steps of a call; functions that were traced for others go."""
    if count != model.steps_per_execution:
        model.steps_per_execution = count
        model.train_function = model.test_function = None


def _acts_on_batches(callback):
    """Whether a callback is called after batches, and not only after epochs."""
    if getattr(callback, "every_call", False):  # It says itself that this is enough.
        return False
    for name in ("save_freq", "update_freq"):  # Of the callbacks of Keras.
        if hasattr(callback, name):
            return getattr(callback, name) != "epoch"
    if isinstance(callback, (keras.callbacks.TerminateOnNaN,
                             keras.callbacks.ProgbarLogger)):
        return False  # One look at the running mean of several steps is enough.
    return any(name in vars(callback) or getattr(type(callback), name) is not getattr(
        keras.callbacks.Callback, name) for name in _HOOKS)


def _num_weights(model):
    """Weights that a step moves: samplers hold many that it does not."""
    return sum(math.prod(v.shape) for v in model.trainable_variables)
