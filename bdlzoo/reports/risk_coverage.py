"""Risk against coverage: share of errors if only confident predictions are kept.

    risk(k)     = share of errors among the k most confident rows
    random(k)   = e / n                              confidence without information
    perfect(k)  = max(0, k - (n - e)) / k            errors are rejected first

for `e` errors in `n` rows. The curve of a useful confidence is between the two, close
to the perfect one.

Reference: Geifman and El-Yaniv, Selective Classification for Deep Neural
Networks, NeurIPS 2017.
"""

import numpy as np

from bdlzoo.metrics import ranking
from bdlzoo.reports import canvas

_STEADY = 0.1  # Below this coverage few rows are kept, and the risk jumps.


def risk_coverage(curves):
    """Plots risk against coverage of several models, or of several scores.

    Args:
        curves: Dict from a name to a pair `(errors, confidence)` of arrays
            `[N]`: which predictions are wrong, and how sure each of them is.

    Returns:
        `matplotlib.figure.Figure`. The first tenth of a curve may be cut off at the
        top, because one error among few rows is a large share.

    Example:

        errors = prediction.label != y
        figure = bdlzoo.reports.risk_coverage({"mine": (errors, prediction.confidence)})
    """
    if not curves:
        raise ValueError("Expected at least one curve. Received: curves={}")
    figure = canvas.figure(5, 4.2)
    axes = figure.subplots()
    references, top = {}, 0.0
    for (name, (errors, confidence)), colour in zip(
            curves.items(), canvas.colours()):
        coverage, risk = ranking.risk_coverage(errors, confidence)
        axes.plot(coverage, risk, color=colour, linewidth=2, label=name)
        key = len(coverage), int(np.sum(errors))
        # Scores of one model have the same references, which are drawn once.
        references[key] = canvas.GREY if key in references else colour
        top = max(top, risk[-1], risk[coverage >= _STEADY].max())
    if len(references) == 1:
        references = dict.fromkeys(references, canvas.GREY)
    for (rows, wrong), colour in references.items():
        kept = np.arange(1, rows + 1)
        axes.plot(kept / rows, np.maximum(0, kept - (rows - wrong)) / kept, "--",
                  color=colour, linewidth=1)
        axes.plot([0, 1], [wrong / rows] * 2, ":", color=colour, linewidth=1.3)
    axes.plot([], [], ":", color=canvas.GREY, linewidth=1.3, label="random ranking")
    axes.plot([], [], "--", color=canvas.GREY, linewidth=1, label="perfect ranking")
    # Some space above a flat line, if there are no errors.
    axes.set(xlim=(0, 1), ylim=(0, 1.08 * top or 0.01))
    canvas.label(axes, "Errors left among the predictions kept",
                 "Coverage: share of predictions kept", "Risk: share of errors")
    figure.legend(loc="outside lower center", ncols=2, frameon=False,
                  fontsize=canvas.SMALL)
    return figure
