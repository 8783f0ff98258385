"""Plot of the scores of an ensemble against the number of its members."""

import numpy as np

from bdlzoo.reports import canvas


def member_curves(scores, published=None, metric="Negative log-likelihood"):
    """Plots mean and range over seeds of a score, in one panel for each data set.

    Args:
        scores: Dict from the name of a set to an array `[seeds, M]`: the score
            of the first 1, ..., M members.
        published: Dict from the name of a set to a value to mark with a line, or
            `None`.
        metric: String, name of the score that is plotted.

    Returns:
        `matplotlib.figure.Figure`.
    """
    figure = canvas.figure(4 * len(scores), 3.4)
    panels = np.atleast_1d(figure.subplots(1, len(scores)))
    for axes, (name, values) in zip(panels, scores.items(), strict=True):
        values = np.asarray(values)
        members = np.arange(1, values.shape[1] + 1)
        axes.fill_between(members, values.min(axis=0), values.max(axis=0),
                          color=canvas.BLUE, alpha=0.2, linewidth=0)
        axes.plot(members, values.mean(axis=0), "o-", color=canvas.BLUE, markersize=3,
                  linewidth=1.8, label="ours")
        if published and name in published:
            axes.axhline(published[name], color=canvas.GREY, linewidth=1.0,
                         linestyle="--", label="published")
        canvas.label(axes, name, "Members", metric)
        canvas.legend(axes)
    return figure
