"""Frechet distance of normal distributions that are fitted to two sets of features.

    ||m_1 - m_2||^2 + trace(C_1 + C_2 - 2 (C_1^(1/2) C_2 C_1^(1/2))^(1/2))

It is 0 for sets with the same mean and covariance. With features of an Inception
network it is known as FID; with those of any other network the numbers are others.

Reference: Heusel et al., GANs Trained by a Two Time-Scale Update Rule Converge to a
Local Nash Equilibrium, NeurIPS 2017.
"""

import numpy as np


def frechet_distance(features, others):
    """Frechet distance of two sets of features.

    Args:
        features: Array `[N, F]`, two rows at least.
        others: Array `[M, F]`.

    Returns:
        Float, at least 0.
    """
    moments = []
    for rows in (features, others):
        rows = np.asarray(rows, "float64")
        if rows.ndim != 2 or len(rows) < 2 or rows.shape[1] != np.shape(features)[1]:
            raise ValueError(
                "Expected two sets of features [N, F], of two rows at least. Received: "
                f"shapes {np.shape(features)} and {np.shape(others)}")
        centred = rows - rows.mean(axis=0)
        moments.append((rows.mean(axis=0), centred.T @ centred / len(rows)))
    (mean, covariance), (other_mean, other) = moments
    root = _root(covariance)
    shared = np.trace(_root(root @ other @ root))
    gap = np.sum((mean - other_mean)**2)
    return float(max(0.0, gap + np.trace(covariance) + np.trace(other) - 2.0 * shared))


def _root(matrix):
    """Square root of a symmetric matrix; what rounding made negative is 0."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
