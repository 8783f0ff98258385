"""Pictures of worlds: tiles of a grid, and discs on a plane."""

import numpy as np

COLOURS = {"water": (206, 224, 240), "floor": (245, 245, 242), "wall": (96, 96, 100),
           "closed": (166, 108, 58), "open": (222, 190, 150), "goal": (88, 168, 92),
           "treasure": (230, 180, 40), "agent": (40, 80, 170), "red": (200, 60, 60),
           "yellow": (226, 196, 60)}
_SIDE = 16  # Pixels of a tile.


def tiles(names):
    """A picture of a grid.

    Args:
        names: Array `[rows, columns]` of keys of `COLOURS`.

    Returns:
        Array uint8 `[height, width, 3]`.
    """
    colours = np.array([[COLOURS[name] for name in row] for row in names], "uint8")
    picture = colours.repeat(_SIDE, axis=0).repeat(_SIDE, axis=1)
    picture[::_SIDE] = picture[::_SIDE] // 8 * 7  # Thin lines between the tiles.
    picture[:, ::_SIDE] = picture[:, ::_SIDE] // 8 * 7
    return picture


def blank(side=256):
    """An empty floor `[side, side, 3]` to draw on."""
    return np.full((side, side, 3), COLOURS["floor"], "uint8")


def disc(picture, x, y, radius, name):
    """Draws a disc, where the sides of the picture have length 1.

    Args:
        picture: Array uint8 `[side, side, 3]`, which is changed.
        x: Float, place from the left.
        y: Float, place from the bottom.
        radius: Float.
        name: Key of `COLOURS`.
    """
    across, up = _places(picture)
    picture[(across - x)**2 + (up - y)**2 <= radius**2] = COLOURS[name]


def box(picture, left, right, bottom, top, name):
    """Fills a rectangle, where the sides of the picture have length 1.

    Args:
        picture: Array uint8 `[side, side, 3]`, which is changed.
        left: Float, place of the left side.
        right: Float, place of the right side.
        bottom: Float, place of the lower side.
        top: Float, place of the upper side.
        name: Key of `COLOURS`.
    """
    across, up = _places(picture)
    picture[(across >= left) & (across <= right) & (up >= bottom) & (up <= top)] = (
        COLOURS[name])


def line(picture, x, y, angle, length, name):
    """Draws a straight line from a place on.

    Args:
        picture: Array uint8 `[side, side, 3]`, which is changed.
        x: Float, place of the start from the left.
        y: Float, place of the start from the bottom.
        angle: Float, direction in radians.
        length: Float.
        name: Key of `COLOURS`.
    """
    side = len(picture)
    along = np.linspace(0.0, length, 2 * side)
    across = ((x + along * np.cos(angle)) * side).astype(int)
    down = ((1.0 - y - along * np.sin(angle)) * side).astype(int)
    inside = (across >= 0) & (across < side) & (down >= 0) & (down < side)
    picture[down[inside], across[inside]] = COLOURS[name]


def _places(picture):
    """Place of each pixel from the left and from the bottom."""
    side = len(picture)
    middle = (np.arange(side) + 0.5) / side
    return middle[None, :], 1.0 - middle[:, None]
