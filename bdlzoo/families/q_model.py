"""Base class of agents with values of actions, of which there is a posterior.

    target = reward + discount * Q_target(s', argmax over a of Q(s', a))
    loss   = that of the posterior for Q(s, action) and this target

A state that nothing can follow has the reward as its target; the end of the time of an
episode is none. No gradient flows through the target. The target network is a copy that
is renewed at times; with `double`, the network itself chooses the action there (Double
DQN).
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, counter_noise, noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.families.agent import Agent
from bdlzoo.families.chosen_output import ChosenOutput
from bdlzoo.families.member_model import MemberModel
from bdlzoo.families.q_memory import QMemory
from bdlzoo.model.predictive_model import PredictiveModel

_TARGETS = ("mean", "draw")


class QModel(Agent):
    """Learns values of actions by a posterior of the zoo, from steps that are kept.

    A subclass writes `explore` where it does not act by draws of the posterior.

    Args:
        network: Keras model from an observation to values of actions.
        posterior: Name or spec of a method of the zoo that predicts numbers.
        num_samples: Integer, draws of the posterior for mean values.
        resample: `"episode"` or `"step"`, how long a draw of the posterior is acted by.
        target: `"draw"` or `"mean"`, which values are in targets: of one draw (of
            members, each has its own), or mean values.
        double: Bool, whether the network that is trained chooses the actions in
            targets.
        noise_scale: Float, standard deviation of a target around its value.
        discount: Float, factor of rewards for each step.
        num_worlds: Integer, episodes side by side.
        train_every: Integer, steps of all worlds for a training step.
        batch_size: Integer, steps in a training step.
        replay_size: Integer, steps that are kept.
        warm_up: Integer, steps by random actions before the first training step.
        target_every: Integer, training steps between copies to the target network.
        **kwargs: `seed` of `StochasticModel`, and arguments of `keras.Model`.
    """

    log_names = ("loss", "nll")
    config_sections = ("world", "network")

    def __init__(self, network, posterior, *, num_samples=16, resample="episode",
                 target="draw", double=True, noise_scale=1.0, discount=0.99,
                 num_worlds=8, train_every=1, batch_size=64, replay_size=10_000,
                 warm_up=256, target_every=100, **kwargs):
        super().__init__(discount=discount, **kwargs)
        for name, value in (("num_samples", num_samples), ("num_worlds", num_worlds),
                            ("train_every", train_every), ("batch_size", batch_size),
                            ("replay_size", replay_size), ("warm_up", warm_up),
                            ("target_every", target_every)):
            check_count(name, value)
        for name, value, known in (("resample", resample, ("episode", "step")),
                                   ("target", target, _TARGETS)):
            if value not in known:
                raise ValueError(f"Expected one of {known}. Received: "
                                 f"{name}={value!r}")
        spec = {"type": posterior} if isinstance(posterior, str) else dict(posterior)
        self.posterior = registry.build({
            "likelihood": ChosenOutput(noise_scale), "seed": self.seed, **spec,
            "network": network})
        if not isinstance(self.posterior, PredictiveModel):
            raise ValueError("Expected a method that predicts labels. Received: "
                             f"posterior={posterior!r}")
        self.spec, self.num_samples, self.resample = spec, num_samples, resample
        self.target, self.double, self.noise_scale = target, double, noise_scale
        self.num_worlds, self.train_every = num_worlds, train_every
        self.batch_size, self.replay_size = batch_size, replay_size
        self.warm_up, self.target_every = warm_up, target_every

    @property
    def blueprint(self):
        """The network that inputs are checked by."""
        return self.posterior.blueprint

    @property
    def loss_factor(self):
        return self.posterior.loss_factor

    def build(self, input_shape):
        self.posterior.build(input_shape)
        super().build(input_shape)
        seen = tf.TensorSpec((None, *input_shape[1:]), keras.backend.floatx())
        self._explored = tf.function(self.values_of_draws, input_signature=[
            seen, tf.TensorSpec([None], tf.int64)])
        self._mean_values = tf.function(self.mean_values, input_signature=[seen])
        self._shares = tf.function(self.call, input_signature=[seen])

    def compile(self, optimizer="adam", **kwargs):
        super().compile(optimizer=optimizer, **kwargs)
        self.posterior.compile(optimizer=self.optimizer, jit_compile=False)

    # Values.

    def draws(self, posterior, inputs, num_samples, key):
        """Values by draws of a posterior, `[S, B, A]`."""
        return tf.cast(posterior.draw(inputs, num_samples, key), tf.float32)

    def mean_values(self, inputs, posterior=None):
        """Mean values of actions, `[B, A]`."""
        return tf.reduce_mean(self.draws(posterior or self.posterior, inputs,
                                         self.num_samples, self._key()), axis=0)

    def values_for(self, posterior, inputs, key):
        """Values for targets, `[K, B, A]`: for each of K members, or `[1, B, A]`.

        Args:
            posterior: The posterior that is trained, or its target.
            inputs: Observations `[B, *shape]`.
            key: Key of the draw.
        """
        if self.target == "mean":
            return self.mean_values(inputs, posterior)[None]
        if self._num_members is not None:
            shown = tf.nest.map_structure(lambda t: t[None], inputs)
            return posterior.outputs(shown)
        return self.draws(posterior, inputs, 1, key)

    def values_of_draws(self, inputs, numbers):
        """Values `[B, A]`, each row by a draw of its own.

        Args:
            inputs: Observations `[B, *shape]`.
            numbers: Integers `[B]`: rows with one number have one draw.
        """
        if self.posterior.stores_draws:
            draws = self.draws(self.posterior, inputs, self.num_samples, self._key())
            places = tf.math.floormod(numbers, self.num_samples)
            return tf.gather(tf.transpose(draws, [1, 0, 2]), places, batch_dims=1)
        key = self._key()

        def one(row):
            seen, number = row
            return self.draws(self.posterior, seen[None], 1,
                              noise.fold_in(key, number))[0, 0]

        return tf.map_fn(one, (inputs, numbers), fn_output_signature=tf.float32)

    # What a step does.

    def memory_for(self, world):
        return QMemory(self, world)

    def steps_for(self, world, episodes):
        return -(-episodes * world.horizon // (self.num_worlds * self.train_every))

    def collect(self, acting, step):
        memory = acting.memory
        vacant = self.warm_up - memory.replay.count
        for _ in range(max(-(-vacant // self.num_worlds), 0)):
            self._act(acting, random=True)
        for _ in range(self.train_every):
            self._act(acting)
        if step and step % self.target_every == 0:
            memory.copy(self.posterior)
        # Of a prior: all steps so far are data.
        self.posterior.num_data.assign(float(memory.replay.count))
        return self._batch(memory, step)

    def _act(self, acting, random=False):
        """A step in all worlds."""
        running, replay = acting.memory.running, acting.memory.replay
        seen = running.observe()
        actions = self.random_actions(running) if random else (
            self.explore(seen, running, acting))
        step, finished = running.step(actions)
        replay.add(seen=seen, actions=actions, rewards=step.rewards,
                   later=running.world.observe(step.state), terminal=step.terminal)
        acting.note(running.count, finished)

    def explore(self, seen, running, acting):
        """Actions for training, `[worlds]`: the best ones of a draw.

        Args:
            seen: Observations `[worlds, *shape]`.
            running: `SideBySide`.
            acting: `Acting`.
        """
        del acting
        counters = [running.episodes]
        if self.resample == "step":
            counters.append(running.current["time"])
        numbers = counter_noise.words(running.seed, counter_noise.DRAW, *counters)
        return self._explored(tf.constant(seen, keras.backend.floatx()), tf.constant(
            (numbers >> np.uint64(1)).astype("int64"))).numpy().argmax(axis=1)

    def random_actions(self, running):
        """Actions that depend on nothing, `[worlds]`."""
        return counter_noise.integers(
            running.world.num_actions, running.seed, counter_noise.ACTION,
            running.episodes, running.current["time"])

    def _batch(self, memory, step):
        drawn = memory.replay.draw(self.batch_size, step)
        targets = memory.targets(
            drawn["later"], drawn["rewards"], drawn["terminal"],
            noise.key(self.seed, noise.TARGET, step)).numpy()  # [K or 1, B]
        actions = np.broadcast_to(drawn["actions"], targets.shape)
        pairs = np.stack([actions, targets], axis=-1).astype("float32")
        if len(pairs) == 1:
            return drawn["seen"], pairs[0]
        # Each member has targets of its own: [B, M, ...].
        seen = np.repeat(drawn["seen"][:, None], len(pairs), axis=1)
        return seen, pairs.transpose(1, 0, 2)

    def objective(self, x, y, sample_weight, key):
        logs, _ = self.posterior.objective(x, y, sample_weight, key)
        return {"loss": logs["loss"], "nll": logs["nll"]}, None

    def update(self, gradients, key):
        self.posterior.update(gradients, key)

    def check_data(self, x, y):
        batches.check_finite(x, "observations")
        batches.check_finite(y, "rewards and values")

    def quick_check(self, x, y):
        return batches.all_of(batches.seem_finite(part, keras.backend.floatx())
                              for part in (x, y))

    def unbounded_weights(self):
        return self.posterior.unbounded_weights()

    @property
    def _num_members(self):
        """Networks that are trained side by side; `None` for one."""
        return self.posterior.network.copies if isinstance(
            self.posterior, MemberModel) else None

    # What a user calls.

    def beliefs(self, inputs, key):
        draws = self.draws(self.posterior, inputs, self.num_samples, key)  # [S, B, A]
        best = tf.one_hot(tf.argmax(draws, axis=-1), draws.shape[-1])
        place = noise.words([], key) % tf.constant(self.num_samples, tf.uint32)
        return {"probabilities": tf.reduce_mean(best, axis=0),
                "scores": draws[tf.cast(place, tf.int32)],
                "values": tf.reduce_mean(draws, axis=0),
                "spread": tf.math.reduce_std(draws, axis=0)}

    def test_policy(self, greedy):
        if greedy:
            return lambda seen: self._mean_values(
                tf.constant(seen, keras.backend.floatx())).numpy()
        return lambda seen: np.log(np.maximum(self._shares(
            tf.constant(seen, keras.backend.floatx())).numpy(), 1e-30))

    def served_parts(self):
        return self.posterior.served_parts()

    def get_config(self):
        return {**super().get_config(),
                "network": keras.saving.serialize_keras_object(self.posterior.network),
                "posterior": self.spec, "num_samples": self.num_samples,
                "resample": self.resample, "target": self.target,
                "double": self.double, "noise_scale": self.noise_scale,
                "num_worlds": self.num_worlds, "train_every": self.train_every,
                "batch_size": self.batch_size, "replay_size": self.replay_size,
                "warm_up": self.warm_up, "target_every": self.target_every}

    @classmethod
    def from_config(cls, config):
        parts = {"network": keras.saving.deserialize_keras_object(config["network"])}
        return cls(**{**config, **parts})
