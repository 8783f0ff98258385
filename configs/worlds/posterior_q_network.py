"""Thompson sampling by the members of an ensemble in Deep Sea.

    bdlzoo train --config=worlds/posterior_q_network.py --workdir=runs/posterior
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/deep_sea.py")
    config.method = dict(type="PosteriorQNetwork", posterior=dict(
        type="DeepEnsemble", num_members=10), num_samples=10, num_worlds=1,
        warm_up=64, batch_size=64, target_every=50)
    if variant == "smoke":
        config.world.size = 3
        config.network.hidden = (8,)
        config.method.update(num_worlds=4, warm_up=16, batch_size=32, target_every=2)
        config.update(episodes=16, test_episodes=8, epochs=2)
    return config
