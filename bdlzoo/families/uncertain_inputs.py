"""Inputs that should look uncertain: made from a batch, or given by the user."""

import numpy as np
import tensorflow as tf

from bdlzoo.core import noise


class UncertainInputs:
    """Makes half a batch of such inputs in every step, in equal parts by source.

    Not a layer, so that Keras does not save rows that a user gave.

    Args:
        attacks: List of `bdlzoo.attacks.Attack`.
    """

    def __init__(self, attacks):
        self.attacks = attacks
        self.given = None  # Array `[M, ...]`.

    def __bool__(self):
        return bool(self.attacks) or self.given is not None

    def give(self, rows):
        """Sets the rows of the user (or `None`); returns whether they changed."""
        changed = rows is not self.given
        self.given = rows if rows is None else np.asarray(rows)
        return changed

    def rows(self, network, x, y, key):
        """Inputs of one step, without a gradient; runs in a graph.

        Args:
            network: Keras classifier that is attacked.
            x: Inputs of the batch `[B, ...]`.
            y: Classes of the batch `[B]`.
            key: Noise key.
        """
        sources = [self._attacked(attack, network) for attack in self.attacks]
        if self.given is not None:
            sources.append(self._drawn)
        half, labels = (tf.shape(x)[0] + 1) // 2, tf.reshape(y, [-1])
        parts = [source(tf.cast(x[place:half:len(sources)], tf.float32),
                        tf.cast(labels[place:half:len(sources)], tf.int32),
                        noise.fold_in(key, place))
                 for place, source in enumerate(sources)]
        return tf.stop_gradient(tf.concat(parts, axis=0))

    def _attacked(self, attack, network):
        return lambda x, y, key: attack.perturb(network, x, y, key,
                                                **attack.settings())

    def _drawn(self, x, y, key):
        """Rows of the user, with replacement, as many as `x` has."""
        del y
        uniform = noise.uniform([tf.shape(x)[0]], key)
        return tf.gather(tf.cast(self.given, tf.float32),
                         tf.cast(len(self.given) * uniform, tf.int32))
