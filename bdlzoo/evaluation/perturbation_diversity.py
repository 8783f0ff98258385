"""Diversity of the perturbations that an adversary finds for one input.

    diversity = mean over pairs i < j of ||delta_i - delta_j||_2

It is 0 if the adversary always finds the same perturbation.
"""

import numpy as np


def diversity(samples):
    """Mean distance of pairs of perturbations.

    Args:
        samples: Array `[S, B, ...]` of perturbations or perturbed inputs: `S` for each
            of the `B` inputs.

    Returns:
        Float64 array `[B]`.

    Example:

        attacks = [PGD(0.3, 0.1, 5)(model, x, y, seed=s) for s in range(4)]
        bdlzoo.evaluation.diversity(np.stack(attacks))
    """
    samples = np.asarray(samples, "float64")
    if samples.ndim < 3 or len(samples) < 2:
        raise ValueError("Expected two or more perturbations of each input, [S, B, "
                         f"...]. Received: samples.shape={samples.shape}")
    rows = np.moveaxis(samples.reshape(*samples.shape[:2], -1), 0, 1)  # [B, S, D]
    count = rows.shape[1]
    ahead, behind = np.triu_indices(count, 1)
    return np.array([np.linalg.norm(own[ahead] - own[behind], axis=-1).mean()
                     for own in rows])


def restarts(attack, model, x, y, count, seed=0):
    """Perturbations that an attack finds from several random starts.

    Args:
        attack: `bdlzoo.attacks.Attack`, with a random start.
        model: Keras classifier, or model of the zoo.
        x: Inputs `[B, ...]`.
        y: Integer classes `[B]`.
        count: Integer, number of random starts.
        seed: Integer, seed of the starts.

    Returns:
        Array `[count, B, ...]` of differences to `x`.
    """
    return np.stack([attack(model, x, y, (seed, place)) - x for place in range(count)])
