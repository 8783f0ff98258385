"""Heat map of a structure: probability of each operation on each edge."""

import numpy as np

from bdlzoo.layers.concrete_structure import edges, num_nodes_of
from bdlzoo.reports import canvas


def structure_heat_map(probabilities, operations):
    """Draws the probabilities of all operations on all edges.

    Args:
        probabilities: Array `[E, K]`, such as `DBSN.edge_probabilities` returns.
        operations: Names of the K operations.

    Returns:
        `matplotlib.figure.Figure`.
    """
    probabilities = np.asarray(probabilities)
    pairs = edges(num_nodes_of(*probabilities.shape, operations))
    count, choices = probabilities.shape
    figure = canvas.figure(1.1 * choices + 2.2, 0.3 * count + 1.6)
    axes = figure.subplots()
    image = axes.imshow(probabilities, cmap="viridis", vmin=0.0, vmax=1.0,
                        aspect="auto")
    axes.set_xticks(range(choices), [name.replace("_", "\n") for name in operations])
    axes.set_yticks(range(count), [f"{first} to {last}" for first, last in pairs])
    for place, value in np.ndenumerate(probabilities):
        axes.text(*place[::-1], f"{value:.2f}", ha="center", va="center",
                  color="black" if value > 0.6 else "white", fontsize=canvas.SMALL)
    canvas.label(axes, "Probability of each operation", y="edge")
    figure.colorbar(image, ax=axes)
    return figure
