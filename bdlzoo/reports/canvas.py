"""Parts of all plots: a figure without global state, colours, plain axes."""

import itertools

# Colours that colour-blind readers can distinguish (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
_COLOURS = BLUE, ORANGE, GREEN, RED, SKY, PURPLE
GREY = "#555555"
TITLE, TEXT, SMALL = 11, 10, 9  # Font sizes, in points.


def figure(width, height):
    """An empty figure of this size in inches, which pyplot does not keep."""
    from matplotlib.figure import Figure
    return Figure(figsize=(width, height), dpi=100, layout="constrained")


def colours():
    """Endless iterator over colours, so that a seventh line has one too."""
    return itertools.cycle(_COLOURS)


def strokes():
    """Endless iterator over styles of lines and their colours: full lines first."""
    return itertools.cycle(itertools.product(("-", "--", ":"), _COLOURS))


def label(axes, title="", x="", y=""):
    """Writes title and names of the axes; hides the frame above and on the right."""
    axes.set_title(title, fontsize=TITLE)
    axes.set_xlabel(x, fontsize=TEXT)
    axes.set_ylabel(y, fontsize=TEXT)
    axes.tick_params(labelsize=SMALL)
    axes.spines[["top", "right"]].set_visible(False)


def legend(axes, **kwargs):
    """Adds a legend without a box; `kwargs` are arguments of `Axes.legend`."""
    axes.legend(fontsize=SMALL, frameon=False, **kwargs)


def picture(image):
    """An image in the shape that matplotlib takes: `[H, W]` for one channel."""
    return image[..., 0] if image.ndim == 3 and image.shape[-1] == 1 else image
