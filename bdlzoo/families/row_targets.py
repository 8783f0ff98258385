"""Moving averages of predictions, one for each row of the training data.

    average <- decay * average + (1 - decay) * p            where the row is seen
    target   = average / (1 - decay**count),                count: times it was seen

The denominator corrects the start at 0: a row whose predictions are always the same
has them as its target after the first time.
"""

import keras
import tensorflow as tf


class RowTargets(keras.layers.Layer):
    """Table of the averages `[N, C]` and counts `[N]`, saved with the model.

    The number of rows is known in `fit` only, or from a file that is loaded: `build`
    is called then.

    Args:
        decay: Float, at least 0 and below 1.
    """

    def __init__(self, decay):
        super().__init__(name="row_targets")
        self.decay = decay

    def build(self, shape):
        """Makes the table, `shape` being `(N, C)`."""
        def weight(name, shape):
            return self.add_weight(name=name, shape=shape, initializer="zeros",
                                   trainable=False, autocast=False,
                                   aggregation="only_first_replica")

        self.averages = weight("averages", tuple(shape))
        self.counts = weight("counts", (shape[0],))
        self.built = True

    def read(self, rows):
        """Targets `[B, C]` of rows, and whether they were seen before, `[B]`."""
        counts = tf.gather(self.counts.value, rows)
        # Without a count both are 0.
        share = tf.maximum(1.0 - self.decay**counts, keras.config.epsilon())
        return tf.gather(self.averages.value, rows) / share[:, None], counts > 0

    def add(self, rows, probabilities):
        """Moves the averages of rows `[B]` towards probabilities `[B, C]`."""
        context = tf.distribute.get_replica_context()
        if context.num_replicas_in_sync > 1:  # All replicas hold all rows.
            rows, probabilities = context.all_gather([rows, probabilities], axis=0)
        old = tf.gather(self.averages.value, rows)
        new = self.decay * old + (1.0 - self.decay) * probabilities
        self.averages.value.scatter_update(tf.IndexedSlices(new, rows))
        counts = tf.gather(self.counts.value, rows) + 1.0
        self.counts.value.scatter_update(tf.IndexedSlices(counts, rows))

    def load_own_variables(self, store):
        if not self.built and len(store):
            self.build(store["0"].shape)
        super().load_own_variables(store)
