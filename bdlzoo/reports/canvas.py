"""What the plots share: a figure without global state, colours, plain axes."""

import itertools

# Told apart by colour-blind readers too (Okabe and Ito).
BLUE, ORANGE, GREEN, RED, SKY, PURPLE = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
GREY = "#555555"
TITLE, TEXT, SMALL = 11, 10, 9  # Font sizes, in points.


def figure(width, height):
    """An empty figure of that many inches, outside of pyplot's list."""
    from matplotlib.figure import Figure
    return Figure(figsize=(width, height), dpi=100, layout="constrained")


def colours():
    """Colours without end: what comes after the sixth must be drawn too."""
    return itertools.cycle((BLUE, ORANGE, GREEN, RED, SKY, PURPLE))


def label(axes, title="", x="", y=""):
    """Writes title and names of the axes; leaves two of four frame lines."""
    axes.set_title(title, fontsize=TITLE)
    axes.set_xlabel(x, fontsize=TEXT)
    axes.set_ylabel(y, fontsize=TEXT)
    axes.tick_params(labelsize=SMALL)
    axes.spines[["top", "right"]].set_visible(False)


def legend(axes, **kwargs):
    """Names what is drawn, in `axes`, without a box around it."""
    axes.legend(fontsize=SMALL, frameon=False, **kwargs)


def picture(image):
    """An image as matplotlib takes it: `[H, W]` where it has one channel."""
    return image[..., 0] if image.ndim == 3 and image.shape[-1] == 1 else image
