"""Curves of two domains over the epochs of a training."""

from bdlzoo.reports import canvas

_LINES = (("accuracy", "source, training rows", canvas.BLUE),
          ("val_accuracy", "source, validation rows", canvas.SKY),
          ("target_accuracy", "target", canvas.RED))
_QUALITY = (("pseudo_accuracy", "right, where sure", canvas.GREEN),
            ("pseudo_share", "share of sure rows", canvas.ORANGE),
            ("target_ece", "calibration error", canvas.PURPLE))


def domain_curves(history):
    """Plots accuracies of both domains, and the quality of pseudo-labels.

    Args:
        history: Dictionary of lists with a number for each epoch, such as `accuracy`,
            `target_accuracy`, `pseudo_share` and `pseudo_accuracy`; names that it
            does not have are left out.

    Returns:
        `matplotlib.figure.Figure`; numbers are in per cent.
    """
    figure = canvas.figure(10, 4)
    panels = (("Accuracy of both domains", "Accuracy [%]", _LINES),
              ("Labels that the target is given", "Rows of the target [%]", _QUALITY))
    for axes, (title, name, lines) in zip(figure.subplots(1, 2), panels):
        for metric, label, colour in lines:
            if metric in history:
                values = [100.0 * value for value in history[metric]]
                axes.plot(range(1, len(values) + 1), values, color=colour,
                          linewidth=1.8, label=label)
        axes.set_ylim(0, 101)
        canvas.label(axes, title, "Epoch", name)
        if axes.lines:
            canvas.legend(axes, loc="lower right")
    return figure
