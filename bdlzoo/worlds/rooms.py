"""Rooms and doors: a grid of rooms in a row, with a goal in the last one.

The places of the doors, of the goal and of the start differ between episodes. Doors
are closed at first, and stay open once they are opened. An agent sees the cells around
it. It is a small, fast relative of the `MultiRoom` environments of MiniGrid.
"""

import numpy as np

from bdlzoo.core import counter_noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.worlds.drawing import tiles
from bdlzoo.worlds.world import World

_MOVES = np.array([(-1, 0), (1, 0), (0, -1), (0, 1), (0, 0)])
_OPEN = 4  # The action.
_DOORS, _GOAL, _START = range(3)  # What the noise of an episode is for.


@registry.register
class Rooms(World):
    """Rooms in a row, with doors between them.

    Args:
        num_rooms: Integer, rooms in the row.
        room_size: Integer, rows and columns of a room.
        door_bonus: Float, reward for a door that is opened, for the first time.
        goal: Float, reward for the goal, which ends the episode.
        view: Integer, an odd number of rows and columns that an agent sees.
        horizon: Integer, steps after which an episode is over; `None` is 20 for each
            room.

    Example:

        world = bdlzoo.worlds.Rooms(num_rooms=3)
        state = world.start(range(64))
    """

    action_names = ("north", "south", "west", "east", "open")

    def __init__(self, num_rooms=2, room_size=4, door_bonus=0.3, goal=1.0, view=7,
                 horizon=None):
        check_count("num_rooms", num_rooms)
        check_count("room_size", room_size)
        if view < 1 or view % 2 == 0:
            raise ValueError("Expected an odd number of cells to see, the agent in the "
                             f"middle. Received: view={view}")
        if door_bonus < 0 or goal < 0:
            raise ValueError("Expected rewards that are not negative: bounds build on "
                             f"it. Received: door_bonus={door_bonus}, goal={goal}")
        super().__init__(5, (view, view, 4), horizon or 20 * num_rooms)
        self.num_rooms = num_rooms
        self.room_size = room_size
        self.door_bonus = door_bonus
        self.goal = goal
        self.view = view
        self._walls = np.arange(1, num_rooms) * (room_size + 1)  # Columns.
        self._width = num_rooms * (room_size + 1) + 1

    def begin(self, seeds):
        size, last = self.room_size, (self.num_rooms - 1) * (self.room_size + 1)
        door_rows = 1 + counter_noise.integers(
            size, seeds[:, None], _DOORS, np.arange(self.num_rooms - 1))
        goal, start = (1 + counter_noise.integers(
            size, seeds[:, None], what, np.arange(2)) for what in (_GOAL, _START))
        if self.num_rooms == 1:  # Not on the goal itself.
            same = (goal == start).all(axis=1)
            start[same, 1] = 1 + start[same, 1] % size
        return {"place": start, "goal": goal + [0, last], "door_rows": door_rows,
                "open": np.zeros((len(seeds), self.num_rooms - 1), bool)}

    def move(self, state, actions):
        place, opened = state["place"], state["open"]
        wanted = place + _MOVES[actions]
        place = np.where(self._free(state, wanted)[:, None], wanted, place)
        beside = (np.abs(state["door_rows"] - place[:, :1])
                  + np.abs(self._walls - place[:, 1:])) == 1  # [B, doors]
        new = beside & ~opened & (actions == _OPEN)[:, None]
        terminal = (place == state["goal"]).all(axis=1)
        rewards = self.door_bonus * new.sum(axis=1) + self.goal * terminal
        return {"place": place, "open": opened | new}, rewards, terminal

    def _free(self, state, place):
        """Whether cells can be entered: floor, or an open door."""
        row, column = place[:, :1], place[:, 1:]
        inside = (row >= 1) & (row <= self.room_size) & (column >= 1) & (
            column <= self._width - 2)
        in_wall = column == self._walls  # [B, doors]
        through = in_wall & state["open"] & (row == state["door_rows"])
        return inside[:, 0] & (~in_wall.any(axis=1) | through.any(axis=1))

    def observe(self, state):
        """Cells around the agent: walls, closed doors, open doors, and the goal."""
        reach = np.arange(self.view) - self.view // 2
        row = (state["place"][:, :1] + reach)[:, :, None]  # [B, view, 1]
        column = (state["place"][:, 1:] + reach)[:, None, :]  # [B, 1, view]
        in_wall = column[..., None] == self._walls  # [B, 1, view, doors]
        door = in_wall & (row[..., None] == state["door_rows"][:, None, None])
        opened = (door & state["open"][:, None, None]).any(axis=-1)
        door = door.any(axis=-1)
        outside = (row < 1) | (row > self.room_size) | (column < 1) | (
            column > self._width - 2)
        wall = (outside | in_wall.any(axis=-1)) & ~door
        goal = (row == state["goal"][:, :1, None]) & (
            column == state["goal"][:, 1:, None])
        return np.stack([wall, door & ~opened, opened, goal], axis=-1).astype("float32")

    def bounds(self, state, discount=1.0):
        """Zero, and the rewards on the shortest way through all doors to the goal."""
        row, column, doors = *np.split(state["place"], 2, axis=1), state["door_rows"]
        closed, ahead = ~state["open"], self._walls > column  # [B, doors]
        # The rows from which the agent goes to each door, and to the goal at last.
        rows = np.hstack([row, np.where(ahead, doors, row)])
        aside = ahead * np.abs(doors - rows[:, :-1])
        before = np.cumsum(closed, axis=1) - closed  # Doors to open first.
        ways = np.cumsum(aside, axis=1) + self._walls - 1 - column + before
        left = self.left(state)[:, None]
        gains = self.door_bonus * (closed & (ways < left)) * discount**np.maximum(
            ways, 0)
        gap = np.abs(state["goal"] - np.hstack([rows[:, -1:], column])).sum(axis=1)
        way = aside.sum(axis=1) + gap + closed.sum(axis=1) - 1
        goal = self.goal * (way < left[:, 0]) * discount**np.maximum(way, 0)
        at_goal = (state["place"] == state["goal"]).all(axis=1)
        upper = np.where(at_goal, 0.0, gains.sum(axis=1) + goal)
        return np.zeros_like(upper), upper

    def picture(self, state):
        grid = np.full((self.room_size + 2, self._width), "wall", object)
        grid[1:-1, 1:-1] = "floor"
        grid[:, self._walls] = "wall"
        for column, row, is_open in zip(self._walls, state["door_rows"][0],
                                        state["open"][0]):
            grid[row, column] = "open" if is_open else "closed"
        grid[tuple(state["goal"][0])] = "goal"
        grid[tuple(state["place"][0])] = "agent"
        return tiles(grid)
