"""Pictures of the most and the least uncertain images, with their probabilities.

The probabilities of the most likely classes are beside each image. A bar is the
(calibrated) mean over draws, and a dot is one draw. Dots far apart mean that the draws
disagree. Dots close to the end of a short bar mean that all draws are unsure.
"""

import numpy as np

from bdlzoo.reports import canvas

_CLASSES = 4  # Bars of an image.
_NAME = 16  # Longest name of a class, in characters.


def ranked_images(images, prediction, labels, count=6, by="variation_ratio",
                  class_names=None, ends=("most", "least")):
    """Shows the most and the least uncertain images with their probabilities.

    Args:
        images: Array `[B, H, W]` or `[B, H, W, channels]`, of any range.
        prediction: `ClassPrediction` of the images.
        labels: Array `[B]`, true classes.
        count: Integer, number of images at each end.
        by: Name of an uncertainty of the prediction by which images are ranked; the
            predictive entropy breaks ties.
        class_names: Names of the classes, in order; `None` shows numbers.
        ends: Tuple of `"most"`, `"least"` or both, shown side by side.

    Returns:
        `matplotlib.figure.Figure`.

    Example:

        figure = bdlzoo.reports.ranked_images(x, prediction, y, count=6)
    """
    if not hasattr(prediction, by):
        raise ValueError("Expected an uncertainty of the prediction, such as "
                         f"'variation_ratio'. Received: by={by!r}")
    scores = np.asarray(getattr(prediction, by))
    order = np.lexsort([prediction.predictive_entropy, scores])
    count = min(count, len(order))
    chosen = {"most": order[::-1][:count], "least": order[:count]}
    labels = np.reshape(labels, [-1])
    shown = np.concatenate(list(chosen.values()))
    drawn = dict(zip(shown, pictures(np.asarray(images)[shown])))
    if class_names is None:
        class_names = range(prediction.probabilities.shape[-1])

    figure = canvas.figure(4.5 * len(ends), 1.15 * count + 0.4)
    for part, end in zip(np.ravel(figure.subfigures(1, len(ends))), ends):
        part.suptitle(f"{end.capitalize()} uncertain by {by.replace('_', ' ')}",
                      fontsize=canvas.TITLE)
        grid = part.subplots(count, 2, squeeze=False, width_ratios=(1, 2.4))
        for (left, right), row in zip(grid, chosen[end]):
            left.imshow(drawn[row], cmap="gray_r", vmin=0, vmax=1)
            left.set(xticks=[], yticks=[])
            left.set_xlabel(f"{scores[row]:.2f}", fontsize=canvas.SMALL)
            _bars(right, prediction, row, labels[row], class_names)
            right.tick_params(labelbottom=right is grid[-1, 1])
        grid[-1, 1].set_xlabel("Probability", fontsize=canvas.SMALL)
    return figure


def _bars(axes, prediction, row, label, class_names):
    """Bars of the likely classes and of the true one, and dots of the draws."""
    mean = prediction.probabilities[row]
    likely = np.argsort(-mean, kind="stable")[:_CLASSES]
    if label not in likely:
        likely[-1] = label
    draws = np.exp(np.asarray(prediction.log_probs)[:, row])  # [S, C]
    right = prediction.label[row] == label
    places = np.arange(len(likely))
    colours = [canvas.GREEN if c == label else
               canvas.RED if c == likely[0] else canvas.SKY for c in likely]
    axes.barh(places, mean[likely], height=0.8, color=colours, alpha=0.75)
    if len(draws) > 1:  # A single draw equals the bar.
        # Dots are side by side within the bar, so that equal draws are visible.
        spread = np.linspace(-0.32, 0.32, len(draws))[:, None] + places
        axes.plot(draws[:, likely].ravel(), spread.ravel(), ".", color="black",
                  markersize=3, alpha=0.5, markeredgewidth=0)
    axes.set(xlim=(0, 1), ylim=(_CLASSES - 0.4, -0.6), xticks=[0, 0.5, 1])
    axes.set_yticks(places, [_short(class_names[c]) for c in likely],
                    parse_math=False)
    axes.set_title(f"true {_short(class_names[label])}, "
                   + ("right" if right else "wrong"),
                   fontsize=canvas.SMALL, loc="left", parse_math=False, pad=2,
                   color="black" if right else canvas.RED)
    axes.tick_params(labelsize=canvas.SMALL - 1, length=2)
    axes.spines[["top", "right"]].set_visible(False)


def _short(name):
    name = " ".join(str(name).split())
    return name if len(name) <= _NAME else f"{name[:_NAME - 1]}…"


def pictures(images):
    """Images that matplotlib can draw: finite, in [0, 1], grey or in 3 colours."""
    images = images.astype("float32")
    if images.ndim == 4 and images.shape[-1] != 3:
        images = images.mean(axis=-1)
    finite = np.isfinite(images)
    # Images in [0, 1] do not change; others are scaled by one range for all.
    low = np.min(images, where=finite, initial=0.0)
    high = np.max(images, where=finite, initial=1.0)
    return np.where(finite, (images - low) / (high - low), 0.0)
