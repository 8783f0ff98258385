"""Attack of Carlini and Wagner in an L-infinity ball.

    gain    = -max(scores_y - max over j != y of scores_j + hinge, 0)
    x_{t+1} = project(x_t + step_size * sign(grad gain(x_t)))

These are the steps of PGD with the margin as loss. The margin has a gradient where the
cross entropy of a confident network has none.

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
        num_steps: Integer, number of steps from every start.
        hinge: Float, margin of another class beyond which a row does not move.
        random_start: Bool, whether to start at a random point of the ball, and not at
            the input.
        num_restarts: Integer, number of starts; each row keeps the best one.
        start_scale: Float, standard deviation of normal starts around the input;
            `None` for uniform starts in the ball.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Bool, whether `y` are the classes that the attack should reach.
        num_samples: Integer, draws of a zoo model in every gradient. A plain Keras
            model has no draws.
        from_logits: Bool, whether a plain Keras model returns logits; `False` means
            probabilities. For a zoo model it has no effect.
        evasion: Float, weight of the mutual information of the draws, which the attack
            lowers.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Example:

    ```python
    attack = CarliniWagner(epsilon=8 / 255, step_size=2 / 255)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps=30, hinge=50.0, random_start=True,
                 num_restarts=1, start_scale=None, low=0.0, high=1.0, targeted=False,
                 num_samples=1, from_logits=True, evasion=0.0, jit_compile=False):
        super().__init__(epsilon, step_size, num_steps, random_start, num_restarts,
                         start_scale, low, high, targeted, num_samples, from_logits,
                         evasion, {"type": "MarginLoss", "hinge": hinge}, jit_compile)
        self.hinge = hinge
        self.check_settings()
