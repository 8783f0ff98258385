"""Plot of accuracy and calibration against the severity of corruptions."""

import numpy as np

from bdlzoo.reports import canvas

_PANELS = {"accuracy": "Accuracy [%]", "nll": "NLL [nats]", "ece": "ECE [%]"}


def shift_curves(results):
    """Plots one model under each corruption, or the means of several models.

    Args:
        results: Dict from the name of a model to the result of
            `bdlzoo.evaluation.distribution_shift`: a dict from the name of a
            corruption to lists over `severity`.

    Returns:
        `matplotlib.figure.Figure`; a bold line is the mean over corruptions.
    """
    if not results or not all(results.values()):
        raise ValueError("Expected at least one model, each with at least one "
                         f"corruption. Received: results={results}")
    figure = canvas.figure(12, 3.8)
    for axes, (metric, label) in zip(figure.subplots(1, 3), _PANELS.items()):
        scale = 100.0 if "%" in label else 1.0
        for (name, result), colour in zip(results.items(), canvas.colours()):
            if len(results) == 1:
                _draw_each(axes, result, metric, scale)
                name, colour = f"{name}, mean", "black"
            values = np.mean([t[metric] for t in result.values()], axis=0)
            severity = next(iter(result.values()))["severity"]
            axes.plot(severity, scale * values, "o-", color=colour, markersize=4,
                      linewidth=2.5, label=name)
        axes.xaxis.get_major_locator().set_params(integer=True)
        canvas.label(axes, x="Severity (0: clean)", y=label)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside right center",
                  fontsize=canvas.SMALL, frameon=False)
    return figure


def _draw_each(axes, result, metric, scale):
    """Thin lines; when colours repeat, lines are dashed and then dotted."""
    for index, (name, colour) in enumerate(zip(result, canvas.colours())):
        values = scale * np.asarray(result[name][metric])
        axes.plot(result[name]["severity"], values, ("-", "--", ":")[index // 6 % 3],
                  color=colour, linewidth=1.0, label=name)
