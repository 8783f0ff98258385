"""Epsilon-greedy Q-learning in Deep Sea.

    bdlzoo train --config=worlds/epsilon_greedy.py --workdir=runs/epsilon
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/deep_sea.py")
    config.method = dict(type="EpsilonGreedy", epsilon=0.1, num_worlds=1, warm_up=64,
                         batch_size=64, target_every=50)
    if variant == "smoke":
        config.world.size = 3
        config.network.hidden = (8,)
        config.method.update(num_worlds=4, warm_up=16, batch_size=32, target_every=2)
        config.update(episodes=16, test_episodes=8, epochs=2)
    return config
