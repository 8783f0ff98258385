"""Data that a model makes by acting: one batch a step, without end.

    batch = collect(model, step)        an episode, a play against itself, ...

A batch depends on what the model has learnt so far, so nothing is made in advance,
and what an epoch is must be said: `steps_per_epoch` batches. `state` goes into the
checkpoint of every epoch (the world, a replay buffer), and comes back by `restore`.
"""

import itertools

import tensorflow as tf

from bdlzoo.core.checks import check_count


class Experience:
    """Base class of worlds that `fit` takes in the place of data.

    A subclass writes `collect`, and `state` and `restore` where it remembers
    anything. Its noise should be a function of the seed of the model and of the step,
    so that a resumed training is the same.

    Args:
        steps_per_epoch: Integer, batches (such as episodes) of one epoch.
    """

    def __init__(self, steps_per_epoch):
        check_count("steps_per_epoch", steps_per_epoch)
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

    def check(self, model, class_weight=None):
        """Raises where a model cannot act, or Keras would take batches ahead.

        Args:
            model: The model that is to be trained.
            class_weight: That of `fit`, or `None`.
        """
        if class_weight:
            raise ValueError("Expected weights of rows from `collect`, with the batch, "
                             f"and no class_weight. Received: {class_weight}")
        if not model.built:
            raise ValueError("Expected a built model, which can act: call "
                             "`model.build(input_shape)` before `fit`.")
        with model.distribute_strategy.scope():
            if tf.distribute.has_strategy():
                raise ValueError(
                    "Expected a model outside of strategies: they take batches ahead "
                    "of the steps that act. Received: "
                    f"{type(model.distribute_strategy).__name__}")

    def stream(self, model, start, stop=None):
        """Batches of the steps from `start` to `stop`, as a `tf.data.Dataset`.

        Nothing is collected before it is asked for: every batch is made with the
        weights of its step. The first one tells shapes and types.

        Args:
            model: The model that is trained.
            start: Integer, steps before the first one.
            stop: Integer, steps before the end; `None` goes on without end.
        """
        if stop is not None and start >= stop:
            return tf.data.Dataset.range(0)  # The world stays as it is.
        first = self.collect(model, start)
        spec = tf.nest.map_structure(
            lambda t: tf.TensorSpec((None, *t.shape[1:]), t.dtype),
            tf.nest.map_structure(tf.convert_to_tensor, first))

        def batches():
            yield first
            steps = itertools.count(start + 1)
            for step in itertools.islice(steps, stop and stop - start - 1):
                yield self.collect(model, step)

        return tf.data.Dataset.from_generator(batches, output_signature=spec)
