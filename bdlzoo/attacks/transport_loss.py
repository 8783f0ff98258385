"""Transport distance of a batch from itself before the attack: feature scattering.

    C_ij = max(0, 1 - cos(clean_i, scores_j))
    loss = sum_ij P_ij C_ij,    P the optimal transport of C (Sinkhorn)

It needs no label, and the gradient of a row depends on all rows. The plan has no
gradient, because it is optimal. The paper describes features, its released code uses
logits, and so does this class.

Reference: Zhang and Wang, Defense Against Adversarial Attacks Using Feature
Scattering-based Adversarial Training, NeurIPS 2019.
"""

import tensorflow as tf

from bdlzoo.attacks.attack_loss import AttackLoss
from bdlzoo.core import registry, sinkhorn


@registry.register
class TransportLoss(AttackLoss):
    """Computes how far the scores of a batch have moved as a whole.

    Args:
        regularizer: Float, weight of the entropy of the plan.
        num_steps: Integer, largest number of Sinkhorn iterations.
        tolerance: Float, change of the potentials below which the iterations stop; the
            default is that of the released code, which is not strict.

    Example:

    ```python
    attack = PGD(epsilon=8 / 255, step_size=8 / 255, num_steps=1,
                 loss=TransportLoss())
    ```
    """

    needs_clean = True
    has_target = False

    def __init__(self, regularizer=0.01, num_steps=100, tolerance=0.1):
        if not regularizer > 0 or num_steps < 1:
            raise ValueError(
                "Expected a weight above 0, and at least one iteration. Received: "
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
