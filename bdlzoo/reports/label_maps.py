"""Images beside the maps of their labels, of the prediction and of its uncertainty.

    input | target | prediction | uncertainty

The uncertainty of classes is the entropy in nats, that of numbers the standard
deviation. Positions that do not count are white.
"""

import numpy as np

from bdlzoo.reports import canvas
from bdlzoo.reports.ranked_images import pictures


def label_maps(images, targets, predicted, uncertainty, num_classes=None):
    """Shows images in rows, with their maps side by side.

    Args:
        images: Array `[B, H, W, channels]`, of any range.
        targets: Array `[B, H, W]` of classes or numbers, NaN where none counts.
        predicted: Array `[B, H, W]`, predicted classes or means.
        uncertainty: Array `[B, H, W]`.
        num_classes: Integer, number of classes; `None` for numbers.

    Returns:
        `matplotlib.figure.Figure`.
    """
    figure = canvas.figure(8.6, 1.9 * len(images) + 0.4)
    grid = figure.subplots(len(images), 4, squeeze=False)
    if num_classes is None:
        low, high = np.nanmin([targets, predicted]), np.nanmax([targets, predicted])
        values = dict(cmap="gray_r", vmin=low, vmax=high)
    else:
        values = dict(cmap="tab20", vmin=-0.5, vmax=max(num_classes, 20) - 0.5,
                      interpolation="nearest")
    sure = dict(cmap="viridis", vmin=0.0, vmax=np.nanmax(uncertainty))
    parts = (("input", pictures(images), dict(cmap="gray_r", vmin=0, vmax=1)),
             ("target", targets, values), ("prediction", predicted, values),
             ("uncertainty", uncertainty, sure))
    for column, (title, maps, options) in zip(grid.T, parts):
        for axes, image in zip(column, maps):
            drawn = axes.imshow(image, **options)
            axes.set(xticks=[], yticks=[])
        column[0].set_title(title, fontsize=canvas.TEXT)
    figure.colorbar(drawn, ax=grid[:, 3].tolist(), shrink=0.8)
    return figure
