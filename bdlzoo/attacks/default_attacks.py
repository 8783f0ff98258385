"""The attacks by which a classifier is judged if none are chosen.

    apgd_ce        cross entropy, which is strong where the softmax is not saturated
    apgd_dlr       difference of logits ratio, whatever the scale of the logits
    apgd_targeted  a start for each of the most probable other classes

No length of a step has to be chosen. Together they are about as strong as AutoAttack on
networks whose gradients can be trusted; `docs/agreement.md` has the figures. A network
that hides its gradients needs `SPSA` or `FeatureAttack` beside them.

Reference: Croce and Hein, Reliable Evaluation of Adversarial Robustness with an
Ensemble of Diverse Parameter-free Attacks, ICML 2020.
"""

from bdlzoo.attacks.apgd import APGD
from bdlzoo.attacks.targeted_apgd import TargetedAPGD


def default_attacks(epsilon, num_classes, num_steps=100, low=0.0, high=1.0,
                    num_samples=1, from_logits=True, jit_compile=False):
    """Makes the default attacks of `bdlzoo.evaluation.robustness.robustness`.

    Args:
        epsilon: Float, radius of the ball.
        num_classes: Integer. With two classes the ratio is not defined, and
            `apgd_dlr` has the margin as loss.
        num_steps: Integer, number of steps from every start.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        num_samples: Integer, draws of a zoo model in every gradient.
        from_logits: Bool, whether a plain Keras model returns logits.
        jit_compile: Bool, whether XLA compiles the attacks.

    Returns:
        Dict from names to attacks, the fastest first.

    Example:

        attacks = bdlzoo.attacks.default_attacks(0.3, num_classes=10)
        x_adv = attacks["apgd_ce"](model, x, y, seed=0)
    """
    options = dict(num_steps=num_steps, low=low, high=high, num_samples=num_samples,
                   from_logits=from_logits, jit_compile=jit_compile)
    ratio = "DLRLoss" if num_classes > 2 else "MarginLoss"
    return {"apgd_ce": APGD(epsilon, **options),
            "apgd_dlr": APGD(epsilon, loss=ratio, **options),
            "apgd_targeted": TargetedAPGD(epsilon, **options)}
