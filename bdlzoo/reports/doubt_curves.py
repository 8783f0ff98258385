"""Plots of both kinds of uncertainty against what should move them.

    left    aleatoric uncertainty against the share of labels that are noise
    right   epistemic uncertainty against the number of training rows
"""

import numpy as np

from bdlzoo.reports import canvas


def doubt_curves(aleatoric, epistemic, true_entropy=None):
    """Plots means over seeds, with bands from the smallest to the largest.

    Args:
        aleatoric: Dict from shares of noise to uncertainties of the seeds, in nats.
        epistemic: Dict from numbers of training rows to those of the seeds, in nats.
        true_entropy: Dict from shares of noise to entropies of the labels, likewise;
            `None` for none.

    Returns:
        `matplotlib.figure.Figure`; numbers of rows are on a log scale.
    """
    figure = canvas.figure(8, 3.4)
    left, right = figure.subplots(1, 2)
    if true_entropy is not None:
        _draw(left, true_entropy, canvas.GREY, "entropy of the labels")
    _draw(left, aleatoric, canvas.BLUE, "aleatoric")
    _draw(right, epistemic, canvas.RED, "epistemic")
    right.set_xscale("log", base=2)
    right.set_xticks(sorted(epistemic), [f"{count:,}" for count in sorted(epistemic)])
    right.minorticks_off()
    canvas.label(left, "Noise of labels", "share of random labels", "nats")
    canvas.label(right, "More data", "training rows", "nats")
    for axes in (left, right):
        axes.set_ylim(bottom=0.0)
        canvas.legend(axes)
    return figure


def _draw(axes, curve, colour, name):
    places = sorted(curve)
    values = np.array([curve[place] for place in places])  # [P, seeds]
    axes.fill_between(places, values.min(axis=1), values.max(axis=1), color=colour,
                      alpha=0.2, linewidth=0)
    axes.plot(places, values.mean(axis=1), "o-", color=colour, markersize=4,
              linewidth=1.8, label=name)
