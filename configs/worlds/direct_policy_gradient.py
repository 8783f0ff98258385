"""Direct policy gradient in two rooms.

    bdlzoo train --config=worlds/direct_policy_gradient.py --workdir=runs/direct
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/rooms.py")
    config.optimizer.learning_rate = 0.01
    config.method = dict(type="DirectPolicyGradient", epsilon=1000.0, budget=100,
                         bound_weight=0.5, until="better", num_episodes=8)
    if variant == "smoke":
        config.world.update(num_rooms=1, room_size=3, view=3, horizon=12)
        config.policy.hidden = (8,)
        config.method.num_episodes = 8
        config.update(episodes=16, test_episodes=8, epochs=2)
    return config
