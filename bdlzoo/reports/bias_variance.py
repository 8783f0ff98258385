"""Bias and variance of estimators against their parameter."""

from bdlzoo.reports import canvas


def bias_variance(lines):
    """Draws bias and variance of estimators, each against its parameter.

    Args:
        lines: Dictionary from a label to an array `[P, 4]`: parameter, bias, the floor
            below which a bias cannot be seen, and variance.

    Returns:
        Matplotlib figure.
    """
    figure, axes = canvas.figure(1, 2)
