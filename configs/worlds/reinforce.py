"""REINFORCE in two rooms.

    bdlzoo train --config=worlds/reinforce.py --workdir=runs/reinforce
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/rooms.py")
    config.method = dict(type="Reinforce", num_episodes=16)
    if variant == "smoke":
        config.world.update(num_rooms=1, room_size=3, view=3, horizon=12)
        config.policy.hidden = (8,)
        config.method.num_episodes = 8
        config.update(episodes=16, test_episodes=8, epochs=2)
    return config
