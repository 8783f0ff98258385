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


def places(shape, count):
    """Columns that say where numbers stand: the row, and the place on each axis.

    Args:
        shape: Sizes of the batch and of the axes of positions.
        count: Integer, number of places from the first on.
    """
    count = min(count, int(np.prod(shape)))
    row, *others = np.unravel_index(np.arange(count), tuple(shape))
    heads = ["position"] if len(others) == 1 else [
        f"position_{axis}" for axis, _ in enumerate(others, start=1)]
    return {"row": row, **dict(zip(heads, others))}


def sizes(shape):
    """Text of the sizes of the batch and of the axes of positions."""
    rows, *others = shape
    more = f", positions: {' x '.join(map(str, others))}" if others else ""
    return f"rows: {rows}{more}"


def _text(number):
    return f"{number:.4g}" if isinstance(number, np.floating) else str(number)
