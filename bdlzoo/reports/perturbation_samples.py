"""Pictures of one image, of perturbed images, and of the spread of perturbations."""

import numpy as np

from bdlzoo.reports import canvas

_TITLES = {"learnt": "draws of a learnt law", "restarts": "PGD, random starts"}


def perturbation_samples(image, draws, labels, distances, count=7):
    """Shows an image, draws of each adversary, and their spread by pixel.

    Args:
        image: Array `[H, W, channels]` in [0, 1].
        draws: Dictionary from the name of an adversary to perturbed images
            `[S, H, W, channels]`.
        labels: Dictionary from the same names to arrays `[S]`, predicted classes.
        distances: Dictionary from the same names to floats, mean distance of two
            draws.
        count: Integer, number of draws that are shown.

    Returns:
        `matplotlib.figure.Figure`.
    """
    figure = canvas.figure(1.15 * (count + 2), 1.5 * len(draws))
    grid = figure.subplots(len(draws), count + 2, squeeze=False)
    spreads = {kind: np.std(found, axis=0) for kind, found in draws.items()}
    most = max(spread.max() for spread in spreads.values())
    for row, (kind, found) in zip(grid, draws.items()):
        _show(row[0], image, "image")
        for axes, draw, label in zip(row[1:-1], found, labels[kind]):
            _show(axes, draw, f"seen as {label}")
        row[-1].imshow(canvas.picture(spreads[kind]), cmap="magma", vmin=0, vmax=most)
        row[-1].set(xticks=[], yticks=[])
        row[-1].set_title("spread", fontsize=canvas.SMALL)
        row[0].set_ylabel(f"{_TITLES.get(kind, kind)},\ndistance {distances[kind]:.1f}",
                          fontsize=canvas.SMALL)
    return figure


def _show(axes, image, title):
    axes.imshow(canvas.picture(np.asarray(image)), cmap="gray_r", vmin=0, vmax=1)
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, fontsize=canvas.SMALL)
