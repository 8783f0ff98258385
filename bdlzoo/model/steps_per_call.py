"""The number of steps that one call of a compiled function takes.

A call costs as much as a step of a small network, so that several steps share one.
"""

import math

from bdlzoo.core import batches

_SMALL = 1_000_000  # Weights below which calling the step costs as much as it.


def choose(model, data, stream, steps):
    """Several steps a call for small models, a divisor of all of them.

    Args:
        model: `StochasticModel`.
        data: `TrainingData`; an `Experience` acts with the weights of each step, so
            that each is a call.
        stream: What Keras trains on.
        steps: Integer, steps of an epoch; `None` reads them from the stream.
    """
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


def _num_weights(model):
    """Weights that a step moves: samplers hold many that it does not."""
    return sum(math.prod(v.shape) for v in model.trainable_variables)
