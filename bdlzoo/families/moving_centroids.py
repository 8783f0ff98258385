"""Moving centroids of classes in two domains, and their distance.

    c        <- rate * centroid of the batch + (1 - rate) c      classes in the batch
    semantic = sum over classes of mean over numbers of (c of source - c of target)**2

The gradient flows through the share of the batch. Averages over steps make up for
classes that a batch has few rows of, and for wrong labels of the teacher.

Reference: Xie et al., Learning Semantic Representations for Unsupervised Domain
Adaptation, ICML 2018.
"""

import tensorflow as tf

from bdlzoo.families.alignment import Alignment, scheduled, value_at
from bdlzoo.families.class_centroids import centroids


class MovingCentroids(Alignment):
    """Moves the averaged centroids of both domains together.

    Args:
        weight: Float, or schedule over steps, of the term.
        rate: Float in (0, 1], share of the new centroid.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    needs_teacher = True
    schedules = ("weight",)

    def __init__(self, weight=1.0, rate=0.3, **kwargs):
        super().__init__(**kwargs)
        if not 0.0 < rate <= 1.0:
            raise ValueError("Expected a rate above 0 and at most 1. Received: "
                             f"centroid_rate={rate}")
        self.weight = scheduled(weight)
        self.rate = rate

    def attach(self, model, feature_size, key):
        self.averages = [self.add_weight(
            name=name, shape=(model.num_classes, feature_size), initializer="zeros",
            trainable=False, autocast=False, aggregation="only_first_replica")
            for name in ("source_centroids", "target_centroids")]
        super().attach(model, feature_size, key)

    def terms(self, model, pair):
        moved = []
        for average, features, labels in zip(
                self.averages, (pair.source, pair.target),
                (pair.labels, pair.pseudo_labels)):
            means, counts = centroids(features, labels, model.num_classes)
            old = tf.convert_to_tensor(average)
            # A class without rows stays where it is.
            moved.append(tf.where((counts > 0.0)[:, None],
                                  self.rate * means + (1.0 - self.rate) * old, old))
            average.assign(tf.stop_gradient(moved[-1]))
        gaps = tf.reduce_mean(tf.square(moved[0] - moved[1]), axis=-1)  # [C]
        return {"semantic": (value_at(self.weight, pair.step), tf.reduce_sum(gaps))}
