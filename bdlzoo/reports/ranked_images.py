"""The images that a model is least and most sure of."""

import numpy as np

from bdlzoo.reports import canvas


def ranked_images(images, prediction, labels, count=10, by="variation_ratio"):
    """Shows the most and the least uncertain images.

    Args:
        images: Array `[B, H, W]` or `[B, H, W, channels]`.
        prediction: `ClassPrediction` of the images.
        labels: Array `[B]`, true classes.
        count: Integer, images in each of the two rows.
        by: Name of the measure that ranks; predictive entropy breaks ties.

    Returns:
        `matplotlib.figure.Figure`.
    """
    if not hasattr(prediction, by):
        raise ValueError("Expected a measure of the prediction, such as "
                         f"'variation_ratio'. Received: by={by!r}")
    scores = np.asarray(getattr(prediction, by))
    order = np.lexsort([prediction.predictive_entropy, scores])
    count = min(count, len(order))
    labels = np.reshape(labels, [-1])

    figure = canvas.figure(0.95 * count + 0.2, 3.8)
    name = by.replace("_", " ")
    rows = (("Most", order[::-1][:count]), ("Least", order[:count]))
    for part, (word, chosen) in zip(figure.subfigures(2, 1), rows):
        part.suptitle(f"{word} uncertain by {name} (number in brackets)",
                      fontsize=canvas.TITLE)
        for axes, row in zip(part.subplots(1, count, squeeze=False)[0], chosen):
            guess = prediction.label[row]
            axes.imshow(canvas.picture(images[row]), cmap="gray_r",
                        vmin=0, vmax=1)
            axes.set(xticks=[], yticks=[])
            axes.set_xlabel(
                f"true {labels[row]}\npred. {guess}\n({scores[row]:.2f})",
                fontsize=canvas.SMALL,
                color="black" if guess == labels[row] else canvas.RED)
    return figure
