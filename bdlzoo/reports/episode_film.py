"""An animated picture of an episode, with what the agent holds of its actions."""

import io
import typing

import numpy as np

from bdlzoo.core.whole_file import whole_file
from bdlzoo.reports import canvas


class Frame(typing.NamedTuple):
    """A step of an episode."""

    picture: np.ndarray  # Of the world before the step, uint8 `[H, W, 3]`.
    probabilities: np.ndarray  # Of actions `[A]`.
    action: int
    total: float  # Sum of rewards before the step.
    entropy: float  # Of the actions, nats.
    values: np.ndarray | None = None  # Mean values of actions `[A]`, if there are any.
    spread: np.ndarray | None = None  # Their standard deviations `[A]`.


def episode_film(frames, path, names=None, title="", seconds=0.25):
    """Writes an animated GIF: the world, and beside it the actions.

    Bars are the probabilities of actions; the one that is taken is dark. An agent with
    values also shows them, with a standard deviation to each side.

    Args:
        frames: List of `Frame`.
        path: Path of the file.
        names: Words for the actions; `None` takes numbers.
        title: String, above the picture.
        seconds: Float, for each frame.

    Returns:
        The path.
    """
    from PIL import Image
    if not frames:
        raise ValueError("Expected at least one frame. Received: frames=[]")
    names = names or [str(place) for place in range(len(frames[0].probabilities))]
    reach = None if frames[0].values is None else _reach(frames)
    images = [Image.open(io.BytesIO(_drawn(frame, step, names, title, reach))).convert(
        "P", palette=Image.Palette.ADAPTIVE) for step, frame in enumerate(frames)]
    with whole_file(path) as part:
        images[0].save(part, format="GIF", save_all=True, append_images=images[1:],
                       duration=int(1000 * seconds), loop=0)
    return path


def _reach(frames):
    """Smallest and largest value with its spread, and a little more."""
    values, spread = (np.array([getattr(frame, name) for frame in frames])
                      for name in ("values", "spread"))
    low, high = (values - spread).min(), (values + spread).max()
    edge = 0.05 * (high - low) + 1e-6
    return low - edge, high + edge


def _drawn(frame, step, names, title, reach):
    """One frame as the bytes of a PNG file."""
    panels = 2 if frame.values is None else 3
    figure = canvas.figure(3.2 * panels, 3.4)
    axes = figure.subplots(1, panels)
    axes[0].imshow(frame.picture)
    axes[0].set_axis_off()
    axes[0].set_title(f"{title} step {step}, return {frame.total:.2f}".strip(),
                      fontsize=canvas.TEXT)
    places = np.arange(len(names))
    colours = [canvas.BLUE if place == frame.action else canvas.SKY
               for place in places]
    axes[1].barh(places, frame.probabilities, color=colours)
    axes[1].set_xlim(0, 1)
    canvas.label(axes[1], f"probability (entropy {max(0.0, frame.entropy):.2f} nats)")
    if frame.values is not None:
        axes[2].errorbar(frame.values, places, xerr=frame.spread, fmt="o",
                         color=canvas.ORANGE, capsize=3)
        axes[2].set_xlim(*reach)
        canvas.label(axes[2], "value, with one std")
    for each in axes[1:]:
        each.set_yticks(places, names)
        each.set_ylim(len(names) - 0.5, -0.5)
    stream = io.BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue()
