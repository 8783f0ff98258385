"""Grid of images, such as draws of a model or a walk through its latent space."""

import numpy as np

from bdlzoo.reports import canvas


def image_grid(images, rows=None, columns=None, title=""):
    """Shows images side by side.

    Args:
        images: Array `[rows, columns, H, W, channels]` of numbers from 0 to 1; numbers
            outside are clipped.
        rows: List of strings beside the rows; `None` for none.
        columns: List of strings below the columns; `None` for none.
        title: String, headline.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        figure = bdlzoo.reports.image_grid(x[:16].reshape(2, 8, *x.shape[1:]))
    """
    images = np.clip(np.asarray(images, "float32"), 0.0, 1.0)
    if images.ndim != 5:
        raise ValueError("Expected images [rows, columns, height, width, channels]. "
                         f"Received: images.shape={images.shape}")
    figure = canvas.figure(0.7 * images.shape[1] + 1.2 * bool(rows),
                           0.7 * images.shape[0] + 0.4)
    figure.suptitle(title, fontsize=canvas.TITLE)
    grid = figure.subplots(*images.shape[:2], squeeze=False)
    for places, line in zip(grid, images):
        for axes, image in zip(places, line):
            axes.imshow(canvas.picture(image), cmap="gray_r", vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
    for axes, words in zip(grid[:, 0], rows or ()):
        axes.set_ylabel(words, fontsize=canvas.SMALL, rotation=0, ha="right",
                        va="center")
    for axes, words in zip(grid[-1], columns or ()):
        axes.set_xlabel(words, fontsize=canvas.SMALL)
    return figure
