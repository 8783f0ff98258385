"""Mixin of classifiers that make inputs of a class.

    generate(n, labels)      draw i is a function of the seed, of i and of its class

A class that is not given is drawn uniformly. All draws have keys of their own, so that
fewer are the first of more, and a draw has the same noise whatever its class.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.checks import check_count

DRAWN = -1  # Among labels: the class is drawn.


class ClassGenerator:
    """Makes inputs of given classes.

    A model has `num_classes` and `samples(labels, key)`, its inputs of the classes
    `labels`, where `DRAWN` asks for any class. It traces `samples` as `_drawn`.
    """

    def generate(self, num_samples, labels=None, seed=None):
        """New inputs, from noise and the class alone.

        Args:
            num_samples: Integer, how many; fewer are the first of more.
            labels: Integer, the class of all, or integers `[num_samples]`; `None`
                draws the classes. Draw i has the same noise, whatever its class.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[num_samples, ...]`.
        """
        self.check_ready()
        check_count("num_samples", num_samples)
        labels = np.full(num_samples, DRAWN, "int32") if labels is None else (
            self.labels_of_rows(labels, num_samples))
        return self._drawn(tf.constant(labels), self._predict_key(seed)).numpy()

    def labels_of_rows(self, labels, count):
        """Checked labels of rows, `[count]`.

        Args:
            labels: Integer, or integers `[count]`.
            count: Integer.
        """
        self.check_ready()
        found = np.asarray(labels)
        if found.dtype.kind not in "iu" or found.shape not in ((), (count,)) or (
                found.min() < 0 or found.max() >= self.num_classes):
            raise ValueError(
                f"Expected an integer from 0 to {self.num_classes - 1}, or {count} of "
                f"them, the classes. Received: labels={labels}")
        return np.broadcast_to(found.astype("int32"), [count])

    def draws_of(self, labels, key, unit):
        """One-hot classes `[S, K]` and noise `[S, ...]` of draws.

        Args:
            labels: Integers `[S]`; `DRAWN` where the class is drawn.
            key: Key of all draws.
            unit: Function from a key to the noise of a draw.
        """
        def one(draw):
            label, key = draw
            place = noise.uniform([], noise.fold_in(key, 0)) * self.num_classes
            label = tf.where(label < 0, tf.cast(place, tf.int32), label)
            return tf.one_hot(label, self.num_classes), unit(noise.fold_in(key, 1))

        return tf.map_fn(one, (labels, noise.split(key, tf.size(labels))),
                         fn_output_signature=(tf.float32, tf.float32))
