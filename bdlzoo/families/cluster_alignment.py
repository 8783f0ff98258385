"""Terms of CAT: clusters in both domains, and centroids that meet.

    weight (cluster_loss(source, labels) + cluster_loss(target, labels of the teacher)
            + centroid_loss(source, target))
"""

from bdlzoo.core.checks import check_positive
from bdlzoo.families.alignment import Alignment, scheduled, value_at
from bdlzoo.families.class_centroids import centroid_loss
from bdlzoo.families.cluster_loss import cluster_loss


class ClusterAlignment(Alignment):
    """Forms clusters of classes, and moves those of both domains together.

    Args:
        margin: Float, mean squared difference that classes keep.
        weight: Float, or schedule over steps, of the terms.
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    needs_teacher = True
    schedules = ("weight",)

    def __init__(self, margin=30.0, weight=1.0, **kwargs):
        super().__init__(**kwargs)
        check_positive(margin=margin)
        self.margin = margin
        self.weight = scheduled(weight)

    def terms(self, model, pair):
        weight = value_at(self.weight, pair.step)
        guessed = pair.pseudo_labels
        clusters = (cluster_loss(pair.source, pair.labels, self.margin)
                    + cluster_loss(pair.target, guessed, self.margin))
        gaps = centroid_loss(pair.source, pair.labels, pair.target, guessed,
                             model.num_classes)
        return {"cluster": (weight, clusters), "centroids": (weight, gaps)}
