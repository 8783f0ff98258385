"""Iterative fast gradient sign method, without a ball.

    x_{t+1} = clip(x_t + step_size * sign(grad gain(x_t)), low, high)

Only the box limits the steps. So the attack shows the predictions of a model on the
way to a class, and not its robustness. Every step has new draws of the posterior.

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
        num_steps: Integer, number of steps.
        low: Float, smallest value of an input.
        high: Float, largest value of an input.
        targeted: Bool, whether to move towards the classes `y`; `False` moves away from
            them.
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
    x_adv = IterativeFGSM(num_samples=10)(model, x, np.zeros(len(x)), seed=0)
    ```
    """

    def __init__(self, step_size=0.01, num_steps=100, low=0.0, high=1.0, targeted=True,
                 num_samples=1, from_logits=True, evasion=0.0, loss="CrossEntropyLoss",
                 jit_compile=False):
        # The absolute value, so that `low` above `high` is the error that is reported.
        super().__init__(abs(high - low), step_size, num_steps, random_start=False,
                         low=low, high=high, targeted=targeted, num_samples=num_samples,
                         from_logits=from_logits, evasion=evasion, loss=loss,
                         jit_compile=jit_compile)
        self.check_settings()

    def settings(self):
        # Twice the width, so that the ball contains the box in spite of rounding.
        return {**super().settings(), "epsilon": 2.0 * abs(self.high - self.low)}
