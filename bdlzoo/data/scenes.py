"""Scenes of coloured shapes, whose uncertainty is known.

    colour = sum over shapes of opacity * colour of the shape, one above the other
    p(c)   = the same sum with classes in place of colours
    p'(c)  = (1 - label_noise) p(c) + label_noise / num_classes
    y      ~ p'

The opacity of a shape rises from 0 to 1 over its border, `2 * blur` pixels wide, so
that labels are random there and nowhere else: the entropy of p' is the uncertainty
of the data, and is known at each pixel. Shapes have any colour, and their form alone is
their class. A shape that no training scene has is in a share of the test scenes. Its
label is 255, which does not count: there a model should know that it does not know.

    0 background, 1 disk, 2 square, 3 triangle; 255 ring
"""

import colorsys
import numbers
import typing

import numpy as np

from bdlzoo.data.split import Split, choose, deal

CLASSES = ("background", "disk", "square", "triangle")
UNKNOWN = 255  # Label of the shape that no training scene has.
NAMES = ("scenes",)
OPTIONS = ("num_train", "num_test", "size", "blur", "label_noise", "strange")
_SHAPES = (1, 4)  # Fewest shapes of a scene, and the number that is too many.
_GRAIN = 0.04  # Standard deviation of the noise of pixels.


class Scenes(typing.NamedTuple):
    """Scenes and what is true of them.

    Args:
        x: Floats `[N, H, W, 3]` in `[0, 1]`, the images.
        y: Integers `[N, H, W]`, the labels that were drawn; 255 for the strange shape.
        probabilities: Floats `[N, H, W, 5]`, the law of the labels; the last class is
            the strange shape.
    """

    x: np.ndarray
    y: np.ndarray
    probabilities: np.ndarray

    @property
    def unknown(self):
        """Bools `[N, H, W]`: pixels that show the strange shape more than others."""
        return self.probabilities[..., -1] > 0.5

    @property
    def border(self):
        """Bools `[N, H, W]`: pixels in the blurred border of a shape."""
        most = self.probabilities.max(axis=-1)
        inside = np.median(most)  # Below 1 where labels are noisy everywhere.
        return most < inside - 0.02

    @property
    def entropy(self):
        """Floats `[N, H, W]`: entropy of the labels in nats, what no model removes."""
        p = self.probabilities.astype("float64")
        return -np.sum(p * np.log(np.maximum(p, 1e-300)), axis=-1)


def draw_scenes(count, seed=0, size=(48, 48), blur=2.0, label_noise=0.0, strange=0.0):
    """Draws scenes.

    Args:
        count: Integer, number of scenes.
        seed: Non-negative integer, or a list of them.
        size: Pair of integers, height and width.
        blur: Float, half the width of a border in pixels.
        label_noise: Float in [0, 1), share of labels that are drawn from all classes.
        strange: Float in [0, 1], share of scenes with the strange shape.

    Returns:
        `Scenes`.

    Example:

        scenes = bdlzoo.data.draw_scenes(100, strange=0.5)
    """
    _check(count, size, blur, label_noise, strange)
    rng = np.random.default_rng(seed)
    found = [_scene(rng, *size, blur, place < round(strange * count))
             for place in range(count)]
    x, p = (np.stack(part).astype("float32") for part in zip(*found))
    x = np.clip(x + _GRAIN * rng.normal(size=x.shape), 0.0, 1.0).astype("float32")
    # The strange shape stays what it is: its label is not one that is mistaken.
    known = p[..., :-1].sum(axis=-1, keepdims=True)
    p[..., :-1] = (1.0 - label_noise) * p[..., :-1] + label_noise * known / len(CLASSES)
    uniform = rng.uniform(size=p.shape[:-1])[..., None]
    y = np.minimum((np.cumsum(p, axis=-1) < uniform).sum(axis=-1), len(CLASSES))
    order = rng.permutation(count)  # Strange scenes came first.
    y = np.where(y == len(CLASSES), UNKNOWN, y).astype("int32")
    return Scenes(x[order], y[order], p[order])


def load(name, split, seed, validation, num_train=1024, num_test=256, size=(48, 48),
         blur=2.0, label_noise=0.0, strange=0.5):
    """Returns one split of the set `scenes`."""
    options = dict(size=tuple(size), blur=blur)
    if split == "test":  # Without noise: scores are of what is there.
        return Split(*draw_scenes(num_test, [seed, 2], strange=strange, **options)[:2])
    rows = choose(deal(num_train, seed, validation), split, name)
    x, y, _ = draw_scenes(num_train, [seed, 1], label_noise=label_noise, **options)
    return Split(x[rows], y[rows])


def describe(name, seed, validation, size=(48, 48), **options):
    """Returns the shape of an input, number of classes, and scale of targets."""
    del name, seed, validation, options
    return (*size, 3), len(CLASSES), None


def available():
    """What the sets are, by name."""
    return {"scenes": f"Scenes of shapes, a class for each pixel, {len(CLASSES)} "
                      "classes"}


def class_names(name):
    """Returns the names of the classes."""
    del name
    return CLASSES


def _scene(rng, height, width, blur, strange):
    """Colours `[H, W, 3]` and class probabilities `[H, W, 5]` of a scene."""
    down, right = np.mgrid[:height, :width] + 0.5
    slope, turn = 0.1 * rng.uniform(-1.0, 1.0, 2)
    ground = rng.uniform(0.35, 0.65) + slope * (down / height) + turn * (right / width)
    colours = np.repeat(ground[..., None], 3, axis=-1)
    p = np.zeros((height, width, len(CLASSES) + 1))
    p[..., 0] = 1.0
    kinds = list(rng.integers(1, len(CLASSES), rng.integers(*_SHAPES)))
    for kind in [*kinds, *[len(CLASSES)] * strange]:
        reach = min(height, width)
        radius = rng.uniform(0.13, 0.22) * reach
        middle = rng.uniform(0.2, 0.8, 2) * (height, width)
        depth = _depth(kind, down - middle[0], right - middle[1], radius,
                       rng.uniform(0.0, 2.0 * np.pi))
        opacity = np.clip(0.5 + depth / (2.0 * blur), 0.0, 1.0)[..., None]
        colours = opacity * _colour(rng) + (1.0 - opacity) * colours
        p = opacity * np.eye(len(CLASSES) + 1)[kind] + (1.0 - opacity) * p
    return colours, p


def _depth(kind, down, right, radius, angle):
    """Distance from the edge of a shape, positive inside."""
    away = np.hypot(down, right)
    if kind == 1:
        return radius - away
    if kind == len(CLASSES):
        return 0.55 * radius - np.abs(away - 0.95 * radius)
    corners = {2: 4, 3: 3}[kind]
    sides = angle + 2.0 * np.pi * np.arange(corners) / corners
    beyond = [np.cos(side) * down + np.sin(side) * right for side in sides]
    return {2: 0.9, 3: 0.7}[kind] * radius - np.max(beyond, axis=0)


def _colour(rng):
    return np.array(colorsys.hsv_to_rgb(*rng.uniform([0.0, 0.6, 0.6], [1.0, 0.9, 0.9])))


def _check(count, size, blur, label_noise, strange):
    if not isinstance(count, numbers.Integral) or count < 1:
        raise ValueError(f"Expected at least one scene. Received: count={count!r}")
    if len(size) != 2 or min(size) < 8:
        raise ValueError("Expected a height and a width of at least 8 pixels. "
                         f"Received: size={size}")
    if not blur > 0:
        raise ValueError(f"Expected a border above 0 pixels. Received: blur={blur}")
    if not 0 <= label_noise < 1 or not 0 <= strange <= 1:
        raise ValueError("Expected shares from 0 to 1. Received: label_noise="
                         f"{label_noise}, strange={strange}")
