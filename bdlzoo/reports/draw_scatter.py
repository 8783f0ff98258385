"""Scatter plot of draws for an image that changes away from the data.

The softmax inputs of different classes begin to overlap, while the softmax output of a
single draw may stay near one. The spread over draws shows an uncertainty that a single
pass does not show.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016,
figure 4.
"""

import numpy as np

from bdlzoo.reports import canvas


def draw_scatter(draws, images, classes):
    """Plots softmax inputs and outputs of some classes, for every draw.

    Args:
        draws: Array `[S, B, C]`, logits.
        images: Array `[B, H, W]` or `[B, H, W, channels]`, in order.
        classes: List of the classes to show.

    Returns:
        `matplotlib.figure.Figure`; every horizontal dash is a draw.

    Example:

        draws = model.sample_outputs(x[:8], num_samples=32)
        figure = bdlzoo.reports.draw_scatter(draws, x[:8], classes=[0, 1, 7])
    """
    draws = np.asarray(draws, "float64")
    outputs = np.exp(draws - draws.max(axis=-1, keepdims=True))
    outputs /= outputs.sum(axis=-1, keepdims=True)
    predicted = outputs.mean(axis=0).argmax(axis=-1)

    figure = canvas.figure(10, 4.2)
    grid = figure.subplots(2, 2, sharex=True, height_ratios=(7, 1))
    panels = (("Softmax input", draws), ("Softmax output", outputs))
    for (upper, lower), (name, values) in zip(grid.T, panels):
        _dashes(upper, values, classes)
        canvas.label(upper, f"{name}: {len(draws)} draws for each image", y=name)
        _strip(lower, images, predicted)
    grid[0, 1].set_ylim(-0.03, 1.03)
    handles, names = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", frameon=False,
                  ncols=len(classes), fontsize=canvas.TEXT)
    return figure


def _dashes(axes, values, classes):
    """One dash for each draw; classes are side by side, so that none is hidden."""
    num_draws, num_images, _ = values.shape
    width = 0.8 / len(classes)
    for place, (shown, colour) in enumerate(zip(classes, canvas.colours())):
        left = np.arange(num_images) - 0.4 + place * width
        x = np.tile(left, num_draws)
        y = values[:, :, shown].ravel()
        axes.hlines(y, x, x + width, color=colour, linewidth=1, alpha=0.35)
        axes.plot([], [], color=colour, linewidth=3, label=f"class {shown}")
    axes.tick_params(bottom=False, labelbottom=False)


def _strip(axes, images, predicted):
    """Each image below its draws, with the class that is predicted for it."""
    for place, image in enumerate(images):
        axes.imshow(canvas.picture(image), cmap="gray_r", vmin=0, vmax=1,
                    extent=(place - 0.45, place + 0.45, -0.45, 0.45))
    axes.set(xlim=(-0.5, len(images) - 0.5), ylim=(-0.5, 0.5), yticks=[],
             xticks=range(len(images)), xticklabels=predicted, anchor="N")
    canvas.label(axes, x="Input image, and the class predicted for it")
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelbottom=True)
