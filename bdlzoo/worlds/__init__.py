"""Worlds to act in: fast, restorable, and many side by side."""

from bdlzoo.worlds.contextual_bandit import ContextualBandit
from bdlzoo.worlds.deep_sea import DeepSea
from bdlzoo.worlds.foraging import Foraging
from bdlzoo.worlds.gym_world import GymWorld, as_world
from bdlzoo.worlds.rooms import Rooms
from bdlzoo.worlds.side_by_side import SideBySide
from bdlzoo.worlds.world import World

__all__ = ["ContextualBandit", "DeepSea", "Foraging", "GymWorld", "Rooms",
           "SideBySide", "World", "as_world"]
