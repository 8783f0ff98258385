"""Attack of Carlini and Wagner in an L-infinity ball.

    gain    = -max(scores_y - max over j != y of scores_j + hinge, 0)
    x_{t+1} = project(x_t + step_size * sign(grad gain(x_t)))

Steps of PGD on their margin; the margin does not fade as cross entropy does where a
network is sure of itself.

Reference: Carlini and Wagner, Towards Evaluating the Robustness of Neural Networks,
S&P 2017.
"""

from bdlzoo.attacks.step_attack import StepAttack
from bdlzoo.core import registry


@registry.register
class CarliniWagner(StepAttack):
    """Attacks the margin with signed gradient steps, kept in the ball.

    Args:
        epsilon: Float, radius of the ball.
        step_size: Float, length of a step.
        num_steps: Integer, steps of every start.
        hinge: Float, lead of another class at which a row is left alone.
        **kwargs: See `StepAttack`; there is no `loss`.

    Example:

    ```python
    attack = CarliniWagner(epsilon=8 / 255, step_size=2 / 255)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps=30, hinge=50.0, **kwargs):
        super().__init__(epsilon, step_size, num_steps,
                         loss={"type": "MarginLoss", "hinge": hinge}, **kwargs)
        self.check_settings()
