"""Plot of a structure as a graph: nodes in a row, and an arc for each edge.

    colour of an arc = most probable operation of the edge
    width            = probability of this operation

An edge is dotted if its most probable operation is `zero`, which removes it.
"""

import numpy as np

from bdlzoo.layers.concrete_structure import edges, num_nodes_of
from bdlzoo.reports import canvas

_WIDEST = 5.0  # Points, for an arc of probability 1.


def structure_graph(probabilities, operations):
    """Draws the most probable operation of each edge.

    Args:
        probabilities: Array `[E, K]`, such as `DBSN.edge_probabilities` returns.
        operations: Names of the K operations.

    Returns:
        `matplotlib.figure.Figure`.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch
    probabilities = np.asarray(probabilities)
    nodes = num_nodes_of(*probabilities.shape, operations)
    colours = {name: canvas.GREY if name == "zero" else colour
               for name, colour in zip(operations, canvas.colours())}
    figure = canvas.figure(1.3 * nodes + 1.0, 0.55 * nodes + 1.6)
    axes = figure.subplots()
    for (first, last), row in zip(edges(nodes), probabilities):
        name = operations[int(np.argmax(row))]
        axes.add_patch(FancyArrowPatch(
            (first, 0), (last, 0), connectionstyle="arc3,rad=-0.45",
            arrowstyle="-|>", mutation_scale=12, shrinkA=9, shrinkB=9,
            linewidth=_WIDEST * row.max(), color=colours[name],
            linestyle=":" if name == "zero" else "-",
            label=f"{first} to {last}: {name}"))
    for node in range(nodes):
        axes.text(node, 0, str(node), ha="center", va="center",
                  fontsize=canvas.TEXT, bbox=dict(boxstyle="circle", fc="white"))
    axes.set(xlim=(-0.5, nodes - 0.5), ylim=(-0.4, 0.25 * nodes))
    axes.set_axis_off()
    axes.set_title("Most probable operation of each edge", fontsize=canvas.TITLE)
    figure.legend(
        [Line2D([], [], color=colour, linewidth=3, linestyle=":" if name == "zero"
                else "-") for name, colour in colours.items()],
        [name.replace("_", " ") for name in colours], ncols=len(colours),
        frameon=False, loc="outside lower center", fontsize=canvas.SMALL)
    return figure
