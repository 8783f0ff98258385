"""Data that a model makes by acting: one batch a step, without end.

    batch = collect(model, step)        an episode, a play against itself, ...

A batch depends on what the model has learnt so far, so nothing is made in advance,
and what an epoch is must be said: `steps_per_epoch` batches. `state` goes into the
checkpoint of every epoch (the world, a replay buffer), and comes back by `restore`.
"""

import tensorflow as tf

from bdlzoo.core.batches import as_tensor
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

    def stream(self, model, start):
        """Batches of the steps from `start` on, as an endless `tf.data.Dataset`.

        The first one tells shapes and types; `prepare` makes each of the others.
        """
        self._step = start - 1
        self._batch = None
        self.prepare(model)
        spec = tf.nest.map_structure(
            lambda t: tf.TensorSpec((None, *t.shape[1:]), t.dtype), self._batch)

        def batches():
            while True:
                batch, self._batch = self._batch, None
                yield batch

        one_by_one = tf.data.Options()
        # Else TensorFlow asks for the next batch while the step of this one runs.
        one_by_one.experimental_optimization.inject_prefetch = False
        return tf.data.Dataset.from_generator(
            batches, output_signature=spec).with_options(one_by_one)

    def prepare(self, model):
        """Collects the batch of the step that comes, where that is not done.

        Between two steps: inside one, some variables would have moved already.
        """
        if self._batch is None:
            self._step += 1
            self._batch = tf.nest.map_structure(
                as_tensor, self.collect(model, self._step))
