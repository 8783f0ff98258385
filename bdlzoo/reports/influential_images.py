"""Test images beside the training images that pushed their answers."""

import numpy as np

from bdlzoo.reports import canvas
from bdlzoo.reports.ranked_images import pictures


def influential_images(images, labels, predicted, reasons, pushing, pushing_labels,
                       effects, class_names=None):
    """Shows a test image a line, and training images by the strength of their push.

    Args:
        images: Array `[Q, H, W]` or `[Q, H, W, channels]`, test images.
        labels: Integers `[Q]`, their classes.
        predicted: Integers `[Q]`, predicted classes.
        reasons: Strings `[Q]`, why an image is shown.
        pushing: Array `[Q, K, H, W, ...]`, training images.
        pushing_labels: Integers `[Q, K]`, their classes.
        effects: Array `[Q, K]`, change of the quantity if the training image is left
            out.
        class_names: Names of the classes, in order; `None` shows numbers.

    Returns:
        `matplotlib.figure.Figure`.
    """
    pushing = np.asarray(pushing)
    lines, columns = pushing.shape[:2]
    every = pictures(np.concatenate([images, pushing.reshape(-1, *pushing.shape[2:])]))
    tests, trains = every[:lines], every[lines:].reshape(lines, columns,
                                                         *every.shape[1:])

    def name(label):
        word = str(label if class_names is None else class_names[label])
        return word if len(word) <= 10 else f"{word[:9]}…"

    figure = canvas.figure(1.15 * (columns + 1) + 0.6, 1.35 * lines + 0.4)
    grid = figure.subplots(lines, columns + 1, squeeze=False,
                           width_ratios=[1.4] + [1] * columns)
    for line, axes in enumerate(grid):
        wrong = predicted[line] != labels[line]
        _image(axes[0], tests[line], f"{name(labels[line])}, taken for "
               f"{name(predicted[line])}" if wrong else name(labels[line]),
               canvas.RED if wrong else "black")
        axes[0].set_ylabel(reasons[line], fontsize=canvas.SMALL)
        for place, each in enumerate(axes[1:]):
            _image(each, trains[line, place], name(pushing_labels[line, place]),
                   "black")
            each.set_xlabel(f"{effects[line, place]:.1e}", fontsize=canvas.SMALL - 1)
    grid[0, 0].annotate("Test image", (0.5, 1.35), xycoords="axes fraction",
                        ha="center", fontsize=canvas.TEXT)
    grid[0, 1].annotate("Training images that pushed it, strongest first", (0, 1.35),
                        xycoords="axes fraction", fontsize=canvas.TEXT)
    return figure


def _image(axes, image, title, colour):
    axes.imshow(image, cmap="gray_r", vmin=0, vmax=1)
    axes.set(xticks=[], yticks=[])
    axes.set_title(title, fontsize=canvas.SMALL, color=colour, parse_math=False, pad=3)
