"""What a Q-network remembers beside its weights: worlds, steps, and older weights."""

import numpy as np
import tensorflow as tf

from bdlzoo.families.replay import Replay
from bdlzoo.worlds import SideBySide


class QMemory:
    """Episodes in progress, a replay buffer, and the target network.

    Args:
        agent: Built `QModel`.
        world: `World`.
    """

    def __init__(self, agent, world):
        seed = int(agent.train_seeds(0, 1)[0])
        self.running = SideBySide(world, agent.num_worlds, seed)
        self.replay = Replay(agent.replay_size, world.observation_shape, seed)
        online = agent.posterior
        # A copy that Keras does not track: it is no part of the model.
        self.target = type(online).from_config(online.get_config())
        self.target.build((None, *world.observation_shape))
        self.copy(online)
        self._discount, self._agent = agent.discount, agent
        self.targets = tf.function(self._targets, input_signature=[
            tf.TensorSpec((None, *world.observation_shape), tf.float32),
            tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool),
            tf.TensorSpec([1], tf.uint64)])

    def copy(self, online):
        """Takes the weights of the network that is trained."""
        for old, new in zip(self.target.weights, online.weights, strict=True):
            old.assign(new)

    def _targets(self, later, rewards, terminal, key):
        agent = self._agent
        values = agent.values_for(self.target, later, key)  # [K or 1, B, A]
        judges = agent.values_for(agent.posterior, later, key) if agent.double else (
            values)
        best = tf.argmax(judges, axis=-1)
        ahead = tf.gather(values, best, batch_dims=2)  # [K or 1, B]
        return rewards + self._discount * tf.where(terminal, 0.0, ahead)

    def state(self):
        """All that must be known to go on: arrays by name."""
        return {**{f"running_{name}": array
                   for name, array in self.running.state().items()},
                **{f"replay_{name}": array
                   for name, array in self.replay.state().items()},
                **{f"target_{place}": weight.numpy()
                   for place, weight in enumerate(self.target.weights)}}

    def restore(self, state):
        """Takes back what `state` returned.

        Args:
            state: Dictionary of arrays by name.
        """
        for part in ("running", "replay"):
            getattr(self, part).restore({
                name.removeprefix(f"{part}_"): array for name, array in state.items()
                if name.startswith(f"{part}_")})
        for place, weight in enumerate(self.target.weights):
            weight.assign(np.reshape(state[f"target_{place}"], weight.shape))
