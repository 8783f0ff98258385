"""Small tables of text, for `repr`."""

import numpy as np
import tensorflow as tf

SHOWN = 5  # Lines of a table; more rows are left out.


def is_readable(tensor):
    """Whether numbers can be read now; not in a graph, or from one."""
    return tf.executing_eagerly() and not tf.is_symbolic_tensor(tensor)


def text_table(title, columns, more):
    """A small table of text.

    Args:
        title: First line.
        columns: Dictionary from the head of a column to its numbers.
        more: Bool, whether there are rows that are not shown.
    """
    cells = [[key, *map(_text, values)] for key, values in columns.items()]
    widths = [max(map(len, column)) for column in cells]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths))
             for line in zip(*cells)]
    return "\n".join([title, *lines, *["..."] * more])


def _text(number):
    return f"{number:.4g}" if isinstance(number, np.floating) else str(number)
