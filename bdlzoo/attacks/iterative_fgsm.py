"""Iterative fast gradient sign method, without a ball.

    x_{t+1} = clip(x_t + step_size * sign(grad gain(x_t)), low, high)

Only the box bounds how far it goes, so that it shows what a model says on the
way to a class, and not whether it can be led there. The posterior is drawn anew
in every step.

Reference: Kurakin, Goodfellow and Bengio, Adversarial Examples in the Physical
World, ICLR workshops 2017; Li and Gal, Dropout Inference in Bayesian Neural
Networks with Alpha-divergences, ICML 2017 (this form).
"""

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import registry


@registry.register
class IterativeFGSM(StepAttack):
    """Walks towards a class with small signed gradient steps.

    Args:
        step_size: Float, length of a step.
        num_steps: Integer, how many.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Boolean; `False` walks away from the classes `y`.
        **kwargs: See `Attack`; there is no `epsilon`.

    Example:

    ```python
    x_adv = IterativeFGSM(num_samples=10)(model, x, np.zeros(len(x)), seed=0)
    ```
    """

    def __init__(self, step_size=0.01, num_steps=100, low=0.0, high=1.0,
                 targeted=True, **kwargs):
        # Without its sign: a box turned around is then refused as a box.
        super().__init__(abs(high - low), step_size, num_steps, random_start=False,
                         low=low, high=high, targeted=targeted, **kwargs)
        self.check_settings()

    def settings(self):
        # Twice its width: the ball holds the whole box, whatever is rounded.
        return {**super().settings(), "epsilon": 2.0 * abs(self.high - self.low)}
