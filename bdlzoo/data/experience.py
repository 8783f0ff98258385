"""Data that a model makes by acting: one batch a step, without end.

    batch = collect(model, step)        an episode, a play against itself, ...

A batch depends on what the model has learnt so far, so nothing is made in advance,
and what an epoch is must be said: `steps_per_epoch` batches. `state` goes into the
checkpoint of every epoch (the world, a replay buffer), and comes back by `restore`.
"""

import itertools

import tensorflow as tf


class Experience:
    """Base class of worlds that `fit` takes in the place of data.

    A subclass writes `collect`, and `state` and `restore` where it remembers
    anything. Its noise should be a function of the seed of the model and of the step,
    so that a resumed training is the same.

    Args:
        steps_per_epoch: Integer, batches (such as episodes) of one epoch.
    """

    def __init__(self, steps_per_epoch):
        if steps_per_epoch < 1:
            raise ValueError("Expected at least one step an epoch. Received: "
                             f"steps_per_epoch={steps_per_epoch}")
        self.steps_per_epoch = steps_per_epoch

    def collect(self, model, step):
        """Returns the batch of a step: a tuple `(x,)`, `(x, y)` or with weights.

        Args:
            model: The model that is trained, as it is at this step.
            step: Integer, steps before this one.
        """
        raise NotImplementedError

    def state(self):
        """All that must be known to go on: arrays by name."""
        return {}

    def restore(self, state):
        """Takes back what `state` returned.

        Args:
            state: Dictionary of arrays by name.
        """
        del state

    def stream(self, model, start):
        """Batches from step `start` on, as an endless `tf.data.Dataset`.

        Nothing is collected before it is asked for: every batch is made with the
        weights of its step. The first one tells shapes and types.
        """
        first = self.collect(model, start)
        spec = tf.nest.map_structure(
            lambda t: tf.TensorSpec((None, *t.shape[1:]), t.dtype),
            tf.nest.map_structure(tf.convert_to_tensor, first))

        def batches():
            yield first
            for step in itertools.count(start + 1):
                yield self.collect(model, step)

        return tf.data.Dataset.from_generator(batches, output_signature=spec)
