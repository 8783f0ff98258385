"""Images beside the maps of their labels, of the prediction and of its uncertainty.

    input | target | prediction | uncertainty
    input | target | prediction | aleatoric | epistemic | error

The uncertainty of classes is the entropy in nats, that of numbers the standard
deviation. Of several draws both parts of it are shown: aleatoric, of the data, and
epistemic, of the model. Each has a scale of its own, as the epistemic part is far the
smaller one. Positions that do not count are white.
"""

import numpy as np

from bdlzoo.reports import canvas
from bdlzoo.reports.ranked_images import pictures


def label_maps(images, targets, predicted, uncertainty, num_classes=None,
               aleatoric=None, epistemic=None):
    """Shows images in rows, with their maps side by side.

    Args:
        images: Array `[B, H, W, channels]`, of any range.
        targets: Array `[B, H, W]` of classes or numbers, NaN where none counts.
        predicted: Array `[B, H, W]`, predicted classes or means.
        uncertainty: Array `[B, H, W]`; not shown if its parts are given.
        num_classes: Integer, number of classes; `None` for numbers.
        aleatoric: Array `[B, H, W]`, the uncertainty of the data, or `None`.
        epistemic: Array `[B, H, W]`, the uncertainty of the model, or `None`.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        maps = bdlzoo.evaluation.pixel_maps(segmenter, scenes.x)
        figure = bdlzoo.reports.label_maps(
            scenes.x, scenes.y.astype(float), maps.label, maps.total, num_classes=4)
    """
    if num_classes is None:
        low, high = np.nanmin([targets, predicted]), np.nanmax([targets, predicted])
        values = dict(cmap="gray_r", vmin=low, vmax=high)
        errors = np.abs(predicted - targets)
        wrong = dict(cmap="Reds", vmin=0.0, vmax=np.nanmax(errors))
    else:
        values = dict(cmap="tab20", vmin=-0.5, vmax=max(num_classes, 20) - 0.5,
                      interpolation="nearest")
        errors = np.where(np.isnan(targets), np.nan, predicted != targets)
        wrong = dict(cmap="Reds", vmin=0.0, vmax=1.0, interpolation="nearest")
    parts = [("input", pictures(images), dict(cmap="gray_r", vmin=0, vmax=1)),
             ("target", targets, values), ("prediction", predicted, values)]
    if epistemic is None:
        parts.append(("uncertainty", uncertainty, _sure(uncertainty)))
    else:
        parts += [("aleatoric", aleatoric, _sure(aleatoric)),
                  ("epistemic", epistemic, _sure(epistemic)),
                  ("error", errors, wrong)]
    ratio = np.shape(targets)[2] / np.shape(targets)[1]
    figure = canvas.figure(2.15 * len(parts),
                           (1.9 / max(1.0, ratio) + 0.05) * len(images) + 0.4)
    grid = figure.subplots(len(images), len(parts), squeeze=False)
    for column, (title, maps, options) in zip(grid.T, parts):
        for axes, image in zip(column, maps):
            drawn = axes.imshow(image, **options)
            axes.set(xticks=[], yticks=[])
        column[0].set_title(title, fontsize=canvas.TEXT)
        if options.get("cmap") == "viridis":
            figure.colorbar(drawn, ax=column.tolist(), shrink=0.8)
    return figure


def _sure(uncertainty):
    """Scale from certain to the largest uncertainty of all images."""
    # A constant 0 has a scale too: that of a single draw.
    return dict(cmap="viridis", vmin=0.0, vmax=np.nanmax(uncertainty) or 1.0)
