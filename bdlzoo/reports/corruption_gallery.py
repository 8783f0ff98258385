"""Gallery of one image under every corruption at every severity."""

import re

import numpy as np

from bdlzoo.corruptions import ALL
from bdlzoo.reports import canvas


def corruption_gallery(image, corruptions=ALL, severities=range(1, 6), seed=0):
    """Shows an image under corruptions.

    Args:
        image: Array `[H, W, C]` in `[0, 1]`.
        corruptions: List of classes of `bdlzoo.corruptions`, one for each row.
        severities: Integers from 1 to 5, one for each column.
        seed: Integer, seed of the corruptions.

    Returns:
        `matplotlib.figure.Figure`; the clean image is in the first column.

    Example:

        figure = bdlzoo.reports.corruption_gallery(x[0])
    """
    batch, severities = np.asarray(image)[None], list(severities)
    figure = canvas.figure(1.2 * (1 + len(severities)) + 1.0, 1.2 * len(corruptions))
    grid = figure.subplots(len(corruptions), 1 + len(severities), squeeze=False)
    for kind, row in zip(corruptions, grid):
        name = re.sub("(?<=[a-z])(?=[A-Z])", "\n", kind.__name__)
        row[0].set_ylabel(name.capitalize(), fontsize=canvas.SMALL, rotation=0,
                          ha="right", va="center")
        shown = [batch, *(kind(s, seed)(batch) for s in severities)]
        for axes, images in zip(row, shown):
            axes.imshow(canvas.picture(np.asarray(images)[0]), cmap="gray",
                        vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
    for axes, name in zip(grid[0], ("clean", *severities)):
        axes.set_title(name, fontsize=canvas.TEXT)
    return figure
