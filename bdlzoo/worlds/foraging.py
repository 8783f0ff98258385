"""Foraging: a walker with eyes among red and yellow things, in a box with walls.

Each eye sees what is nearest in its direction, and how near it is. Red things are good
to eat, yellow ones are bad; what is eaten grows again elsewhere. Bumping into a wall
costs, and walking straight where the way is clear is rewarded a little.

Reference: in the spirit of the world in Gal, Uncertainty in Deep Learning, PhD thesis,
2016, which adapts a public demonstration of deep Q-learning.
"""

import numpy as np

from bdlzoo.core import counter_noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.worlds.drawing import blank, box, disc, line
from bdlzoo.worlds.world import World

_TURNS = np.radians([-40.0, -15.0, 0.0, 15.0, 40.0])
_STRIDE, _BODY, _THING = 0.03, 0.02, 0.03  # In sides of the box.
_REACH, _FAN = 0.4, np.radians(150.0)
# Walls inside of the box: from left to right, and from the bottom to the top.
_WALLS = np.array([(0.30, 0.34, 0.25, 0.75), (0.66, 0.70, 0.0, 0.45)])
_START, _THINGS = range(2)


@registry.register
class Foraging(World):
    """A box with things to eat and things to avoid.

    Args:
        num_eyes: Integer, eyes, over an angle of 150 degrees.
        num_things: Integer, things in the box; half of them are red.
        horizon: Integer, steps of an episode.

    Example:

        world = bdlzoo.worlds.Foraging(horizon=200)
        state = world.start(range(32))
    """

    action_names = ("far right", "right", "straight", "left", "far left")

    def __init__(self, num_eyes=9, num_things=20, horizon=200):
        check_count("num_eyes", num_eyes)
        check_count("num_things", num_things)
        super().__init__(len(_TURNS), (num_eyes, 3), horizon)
        self.num_eyes = num_eyes
        self.num_things = num_things
        self._red = np.arange(num_things) < (num_things + 1) // 2
        self._angles = np.linspace(-0.5, 0.5, num_eyes) * _FAN if num_eyes > 1 else (
            np.zeros(1))

    def begin(self, seeds):
        count = len(seeds)
        born = np.zeros((count, self.num_things), "int64")
        heading = 2.0 * np.pi * counter_noise.uniform(seeds, _START)
        return self._seen({"body": np.full((count, 2), 0.5), "heading": heading,
                           "born": born, "things": self._grown(seeds, born)})

    def _seen(self, state):
        """The state with what the eyes see in it."""
        distance, kind = self._sight(state)
        return {**state, "distance": distance, "kind": kind}

    def _grown(self, seeds, born):
        """Places of things `[B, things, 2]`, which differ each time they grow."""
        return 0.05 + 0.9 * counter_noise.uniform(
            seeds[:, None, None], _THINGS, np.arange(self.num_things)[:, None],
            born[..., None], np.arange(2))

    def move(self, state, actions):
        heading = state["heading"] + _TURNS[actions]
        straight = _TURNS[actions] == 0.0
        way = np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        wanted = state["body"] + _STRIDE * way
        bumped = ~_is_free(wanted)
        body = np.where(bumped[:, None], state["body"], wanted)
        gaps = np.linalg.norm(state["things"] - body[:, None], axis=-1)
        eaten = gaps <= _BODY + _THING  # [B, things]
        born = state["born"] + eaten
        things = np.where(eaten[..., None], self._grown(state["seed"], born),
                          state["things"])
        after = self._seen({"body": body, "heading": heading, "born": born,
                            "things": things})
        clear = after["distance"].min(axis=1) > 0.5 * _REACH
        rewards = np.sum(np.where(self._red, 1.0, -1.0) * eaten, axis=1) + (
            0.02 * (straight & clear & ~bumped) - 0.1 * bumped)
        return after, rewards, np.zeros(len(actions), bool)

    def observe(self, state):
        """Nearness of a wall, of red and of yellow, from 0 to 1, for each eye."""
        near = 1.0 - state["distance"] / _REACH  # [B, eyes]
        seen = near[..., None] * (state["kind"][..., None] == np.arange(3))
        return seen.astype("float32")

    def _sight(self, state):
        """What each eye sees first: its distance and its kind, `[B, eyes]`."""
        angles = state["heading"][:, None] + self._angles
        way = np.stack([np.cos(angles), np.sin(angles)], axis=-1)  # [B, eyes, 2]
        walls = _to_walls(state["body"][:, None], way)  # [B, eyes]
        # Where a ray meets the disc of a thing.
        gap = state["things"] - state["body"][:, None]  # [B, things, 2]
        along = way @ gap.transpose(0, 2, 1)  # [B, eyes, things]
        aside = (gap**2).sum(axis=-1)[:, None] - along**2
        hit = (aside <= _THING**2) & (along > 0.0)
        things = np.where(hit, along - np.sqrt(np.maximum(_THING**2 - aside, 0.0)),
                          _REACH)  # [B, eyes, things]
        first = things.argmin(axis=-1)
        nearest = np.take_along_axis(things, first[..., None], axis=-1)[..., 0]
        thing = nearest < walls
        kind = np.where(thing, np.where(self._red[first], 1, 2), 0)
        return np.clip(np.where(thing, nearest, walls), 0.0, _REACH), kind

    def picture(self, state):
        picture = blank()
        for left, right, bottom, top in _WALLS:
            box(picture, left, right, bottom, top, "wall")
        for red, (x, y) in zip(self._red, state["things"][0]):
            disc(picture, x, y, _THING, "red" if red else "yellow")
        x, y = state["body"][0]
        for angle, distance in zip(self._angles + state["heading"][0],
                                   state["distance"][0]):
            line(picture, x, y, angle, distance, "wall")
        disc(picture, x, y, _BODY, "agent")
        return picture


def _is_free(place):
    """Whether places `[B, 2]` are in the box, and outside of its walls."""
    x, y = place[:, 0], place[:, 1]
    free = (place > _BODY).all(axis=1) & (place < 1.0 - _BODY).all(axis=1)
    for left, right, bottom, top in _WALLS:
        free &= ~((x > left - _BODY) & (x < right + _BODY)
                  & (y > bottom - _BODY) & (y < top + _BODY))
    return free


def _to_walls(place, way):
    """Distances along rays to the first wall.

    Args:
        place: Array `[B, 1, 2]`.
        way: Array `[B, eyes, 2]` of length 1.
    """
    safe = np.where(np.abs(way) < 1e-9, 1e-9, way)
    # From inside: the outer wall that is reached first.
    found = np.where(safe > 0, (1.0 - place) / safe, -place / safe).min(axis=-1)
    for left, right, bottom, top in _WALLS:
        low, high = np.array([left, bottom]), np.array([right, top])
        one, other = (low - place) / safe, (high - place) / safe
        enter = np.minimum(one, other).max(axis=-1)
        leave = np.maximum(one, other).min(axis=-1)
        found = np.where((enter <= leave) & (enter > 0.0), np.minimum(found, enter),
                         found)
    return found
