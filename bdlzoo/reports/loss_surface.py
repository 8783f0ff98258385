"""Maps of the loss around inputs, one for each model."""

import numpy as np

from bdlzoo.reports import canvas


def loss_surface(places, surfaces, titles=("Along the gradient", "At random")):
    """Plots losses along two directions.

    Args:
        places: Array `[P]`, steps along either direction.
        surfaces: Dict from the name of a model to its losses `[P, P]`; rows are steps
            along the first direction.
        titles: Pair of strings, names of the directions.

    Returns:
        `matplotlib.figure.Figure`: maps side by side, in colours of one scale, with
        lines of equal loss.
    """
    losses = {name: np.asarray(values) for name, values in surfaces.items()}
    low = min(values.min() for values in losses.values())
    high = max(values.max() for values in losses.values())
    levels = np.linspace(low, max(high, low + 1e-6), 13)
    figure = canvas.figure(4.2 * len(losses) + 0.8, 4.0)
    panels = figure.subplots(1, len(losses), squeeze=False)[0]
    for axes, (name, values) in zip(panels, losses.items(), strict=True):
        # Transposed, so that the first direction goes from left to right.
        shown = axes.contourf(places, places, values.T, levels=levels, cmap="viridis")
        axes.contour(places, places, values.T, levels=levels, colors="white",
                     linewidths=0.4)
        axes.plot(0.0, 0.0, "+", color="white", markersize=9)
        axes.set_aspect("equal")
        canvas.label(axes, name, titles[0], titles[1] if axes is panels[0] else "")
    figure.colorbar(shown, ax=list(panels), label="Loss [nats]")
    return figure
