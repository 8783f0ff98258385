"""How far a batch has gone from what it was, as a whole: feature scattering.

    C_ij = max(0, 1 - cos(clean_i, scores_j))
    loss = sum_ij P_ij C_ij,    P the optimal transport of C (Sinkhorn)

It needs no label, and moves one row with regard to all others. The plan is fixed
where the cost is differentiated, as its optimality allows. The paper speaks of
features, its release takes logits; so do we.

Reference: Zhang and Wang, Defense Against Adversarial Attacks Using Feature
Scattering-based Adversarial Training, NeurIPS 2019.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry, sinkhorn


@registry.register
class TransportLoss(AttackLoss):
    """Rises as a batch moves away from itself.

    Args:
        regularizer: Float, weight of the entropy of the plan.
        num_steps: Integer, turns of Sinkhorn at most.
        tolerance: Float, change of its potentials at which it stops; the released
            one is loose.
    """

    needs_clean = True
    has_target = False

    def __init__(self, regularizer=0.01, num_steps=100, tolerance=0.1):
        if not regularizer > 0 or num_steps < 1:
            raise ValueError(
                "Expected a weight above 0, and a turn at least. Received: "
                f"regularizer={regularizer}, num_steps={num_steps}")
        self.regularizer = regularizer
        self.num_steps = num_steps
        self.tolerance = tolerance

    def __call__(self, scores, labels, clean=None):
        del labels
        cost = cosine_cost(clean, scores)
        return tf.reduce_sum(cost * sinkhorn.plan(
            cost, self.regularizer, self.num_steps, self.tolerance))


def cosine_cost(first, second):
    """`max(0, 1 - cosine)` between all rows of two batches, `[m, n]`."""
    first, second = (tf.math.l2_normalize(rows, axis=-1) for rows in (first, second))
    return tf.nn.relu(1.0 - tf.matmul(first, second, transpose_b=True))
