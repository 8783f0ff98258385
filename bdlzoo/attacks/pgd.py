"""Projected gradient attack (PGD).

    x_0     = project(x + epsilon * U(-1, 1))
    x_{t+1} = project(x_t + step_size * sign(grad gain(x_t)))

The gain is the cross entropy, or another `loss`: `"DLRLoss"` is a good second choice,
and `"DivergenceLoss"` with `start_scale=0.001` is the inner attack of TRADES.

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
        num_steps: Integer, number of steps from every start.
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
        loss: `AttackLoss` that the attack raises, or its spec: `"CrossEntropyLoss"`,
            `"MarginLoss"`, `"DLRLoss"`, `"DivergenceLoss"` or `"TransportLoss"`.
        jit_compile: Bool, whether XLA compiles the attack, once for each batch size.
            On a CPU this makes convolutions slower.

    Example:

    ```python
    attack = PGD(epsilon=8 / 255, step_size=2 / 255, num_steps=20)
    x_adv = attack(model, x, y, seed=0)
    ```
    """

    def __init__(self, epsilon, step_size, num_steps, random_start=True, num_restarts=1,
                 start_scale=None, low=0.0, high=1.0, targeted=False, num_samples=1,
                 from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        super().__init__(epsilon, step_size, num_steps, random_start, num_restarts,
                         start_scale, low, high, targeted, num_samples, from_logits,
                         evasion, loss, jit_compile)
        self.check_settings()
