"""The cross-entropy method in two rooms.

    bdlzoo train --config=worlds/cross_entropy_method.py --workdir=runs/cross
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/rooms.py")
    config.method = dict(type="CrossEntropyMethod", elite=0.05, num_episodes=100)
    if variant == "smoke":
        config.world.update(num_rooms=1, room_size=3, view=3, horizon=12)
        config.policy.hidden = (8,)
        config.method.num_episodes = 8
        config.update(episodes=16, test_episodes=8, epochs=2)
    return config
