"""Projected gradient ascent.

    x_0     = project(x + epsilon * U(-1, 1))
    x_{t+1} = project(x_t + step_size * sign(grad gain(x_t)))

The gain is the cross entropy, or what `loss` says: `"DLRLoss"` is a good second
look, `"DivergenceLoss"` with `start_scale=0.001` the inner attack of TRADES.

Reference: Madry et al., Towards Deep Learning Models Resistant to Adversarial
Attacks, ICLR 2018.
"""

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import registry


@registry.register
class PGD(StepAttack):
    """Attacks with many signed gradient steps, kept in the ball.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, steps of every start.
        **kwargs: See `StepAttack`.

    Example:

    ```python
    attack = PGD(epsilon=8 / 255, step_size=2 / 255, num_steps=20)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps, **kwargs):
        super().__init__(epsilon, step_size, num_steps, **kwargs)
        self.check_settings()
