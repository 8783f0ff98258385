"""Plot of a binary classification with one input: draws and their mean."""

import numpy as np

from bdlzoo.reports import canvas


def binary_probability(x, draws_probabilities, mean, train_x, train_y):
    """Plots the probability of class 1 for each draw, and its mean.

    Args:
        x: Array `[N]` or `[N, 1]`, inputs of the prediction.
        draws_probabilities: Array `[S, N]`, probability of class 1 in each draw.
        mean: Array `[N]` or `[N, 1]`, mean over draws of this probability.
        train_x: Array, inputs of the training data.
        train_y: Array, classes of the training data, 0 or 1.

    Returns:
        `matplotlib.figure.Figure`.
    """
    order = np.argsort(np.ravel(x))
    x, mean = np.ravel(x)[order], np.ravel(mean)[order]
    draws = np.asarray(draws_probabilities)[:, order]
    low, high = np.quantile(draws, [0.05, 0.95], axis=0)

    figure = canvas.figure(7, 4)
    axes = figure.subplots()
    axes.fill_between(x, low, high, color=canvas.SKY, alpha=0.3, linewidth=0,
                      label="90 % of the draws")
    lines = axes.plot(x, draws.T, color=canvas.GREY, linewidth=0.5, alpha=0.35)
    lines[0].set_label("one draw")
    axes.plot(x, mean, color=canvas.BLUE, linewidth=2.5, label="mean of draws")
    axes.plot(np.ravel(train_x), np.ravel(train_y), "|", color=canvas.RED,
              markersize=10, alpha=0.6, label="training data")
    axes.set(xlim=(x[0], x[-1]), ylim=(-0.06, 1.06))
    canvas.label(axes, f"Probability of class 1 under {len(draws)} draws", "x",
                 "p(y = 1 | x)")
    canvas.legend(axes, loc="center left")
    return figure
