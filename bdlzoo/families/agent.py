"""Base class of agents: models that learn by acting in a world."""

import math
import typing

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import counter_noise, noise, registry
from bdlzoo.core.checks import check_count
from bdlzoo.families.acting import Acting, Returns
from bdlzoo.families.episodes import play
from bdlzoo.model import signatures
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.surgery import input_shape, output_shape
from bdlzoo.worlds import as_world

_TRAIN, _TEST = range(2)  # Of the seeds of episodes.


class Choice(typing.NamedTuple):
    """What an agent does, and how sure it is of it."""

    action: np.ndarray  # [B]
    probability: np.ndarray  # Of this action `[B]`.
    entropy: np.ndarray  # Of the actions `[B]`, nats.
    probabilities: np.ndarray  # Of all actions `[B, A]`.
    values: np.ndarray | None = None  # Mean values of actions, for agents with some.
    spread: np.ndarray | None = None  # Their standard deviation over draws.


class Agent(StochasticModel):
    """Learns by acting: each training step is made of what was done since the last.

    A subclass writes `collect`, `objective`, `beliefs`, `log_policy` and `blueprint`.

    Args:
        discount: Float, factor of rewards for each step.
        **kwargs: `seed` of `StochasticModel`, and arguments of `keras.Model`.
    """

    log_names = ("loss", "entropy")
    num_samples = 1
    inapplicable = {
        "replicas": "it acts between the steps, on one device",
        "mixed_precision": "another rounding is another choice, and then another "
                           "episode"}
    instead = {"predict_uncertainty": "`act(observations)`, which tells the "
               "probability of the action and the entropy of all"}

    def __init__(self, *, discount=0.99, **kwargs):
        super().__init__(**kwargs)
        if not 0 < discount <= 1:
            raise ValueError("Expected a number above 0 and at most 1. Received: "
                             f"discount={discount}")
        self.discount = discount

    # What an agent writes.

    def collect(self, acting, step):
        """Acts, and returns the batch of a training step.

        Args:
            acting: `Acting`.
            step: Integer, training steps before this one.
        """
        raise NotImplementedError

    def beliefs(self, inputs, key):
        """What the agent holds of actions, in a graph: tensors by name.

        Args:
            inputs: Observations `[B, *shape]`.
            key: Key of the noise.

        Returns:
            Dictionary with `probabilities` `[B, A]` and `scores` `[B, A]`; the action
            is the one with the largest score. It may also have `values` and `spread`.
        """
        raise NotImplementedError

    def test_policy(self, greedy):
        """Function from observations to the scores that `evaluate` acts by."""
        raise NotImplementedError

    def steps_for(self, world, episodes):
        """Training steps that as many episodes are for."""
        raise NotImplementedError

    def memory_for(self, world):
        """What the agent remembers beside its weights; `None` for nothing."""
        del world

    # What a user calls.

    def fit(self, environment=None, episodes=1000, epochs=10, verbose="auto",
            callbacks=None, checkpoint_dir=None, initial_epoch=0):
        """Learns by acting in a world.

        Args:
            environment: World of `bdlzoo.worlds`, or an environment of gymnasium with
                discrete actions.
            episodes: Integer, episodes of the whole training.
            epochs: Integer, into which the training is divided: the logs have a line
                for each, and a checkpoint is written after each.
            verbose: As in Keras.
            callbacks: List of callbacks of Keras, or `None`.
            checkpoint_dir: Folder for checkpoints at epoch ends. Where it holds some,
                training goes on from the last one, bit for bit.
            initial_epoch: Integer, epochs before this one.

        Returns:
            The history of Keras, with the mean `return` of the episodes of an epoch,
            and the `world_steps` so far.
        """
        world = as_world(environment)
        check_count("episodes", episodes)
        check_count("epochs", epochs)
        self._check_compiled()
        self.build_for(world)
        steps = math.ceil(self.steps_for(world, episodes) / epochs)
        acting = Acting(world, steps, self.memory_for(world))
        return super().fit(
            acting, epochs=epochs, verbose=verbose, checkpoint_dir=checkpoint_dir,
            initial_epoch=initial_epoch,
            callbacks=[Returns(acting), *(callbacks or [])])

    def build_for(self, world):
        """Builds the model for a world, and checks that it fits."""
        shape = (None, *world.observation_shape)
        if self.built:
            known = tuple(self.get_build_config()["input_shape"])
            if known != shape:
                raise ValueError(
                    f"Expected a world with observations of shape {known[1:]}, which "
                    f"the model is built for. Received: {world.observation_shape}")
        else:
            self.build(shape)
        found = output_shape.of(self.blueprint, shape)
        if tuple(found) != (None, world.num_actions):
            raise ValueError(
                f"Expected a network with {world.num_actions} outputs, one for each "
                f"action of the world. Received: outputs of shape {tuple(found)}")

    def evaluate(self, environment=None, episodes=100, seed=None, greedy=False):
        """Acts in episodes that are none of training.

        Args:
            environment: World, or an environment of gymnasium.
            episodes: Integer.
            seed: Integer; `None` takes the model's.
            greedy: Bool, whether the best actions are taken, and none is drawn.

        Returns:
            Dictionary of floats: the mean `return` (without discount), its standard
            deviation `return_std`, the mean `length`, and `finished`, the share of
            episodes that came to their end in time.
        """
        check_count("episodes", episodes)
        world = as_world(environment)
        self.build_for(world)
        seeds = self.episode_seeds(_TEST, 0, episodes, seed)
        found = play(world, seeds, self.test_policy(greedy), seeds + 1, greedy=greedy)
        return {"return": float(found.totals.mean()),
                "return_std": float(found.totals.std()),
                "length": len(found.actions) / episodes,
                "finished": float(found.finished.mean())}

    def act(self, observations, seed=None, greedy=False):
        """Chooses actions.

        Args:
            observations: Array `[B, *shape]`.
            seed: Integer, or a pair; `None` takes the model's. All rows share the
                noise, so that a row alone gets the action that it has in a batch.
            greedy: Bool, whether the best actions are taken, and none is drawn.

        Returns:
            `Choice`.
        """
        x = tf.convert_to_tensor(observations, keras.backend.floatx())
        self.build_once(x)
        self.check_inputs(np.asarray(x))
        found = self._chosen(x, noise.key(
            self.seed if seed is None else seed, noise.PREDICT), tf.constant(greedy))
        return Choice(**{name: value.numpy() for name, value in found.items()})

    def call(self, inputs):
        """Probabilities of actions, `[B, A]`."""
        return self.beliefs(inputs, self._key())["probabilities"]

    def endpoints(self, **options):
        return signatures.signatures(self, {
            "serving_default": (lambda inputs: self.choice(inputs, self._key(), True),
                                ("inputs",)),
            "act": (lambda inputs, key: self.choice(inputs, key, False),
                    ("inputs", "seed"))}, **options)

    # The machinery.

    def check_inputs(self, x):
        input_shape.check(self.blueprint, x)
        super().check_inputs(x)

    def build(self, shape):
        self._chosen = tf.function(self.choice, input_signature=[
            tf.TensorSpec((None, *shape[1:]), keras.backend.floatx()),
            tf.TensorSpec([1], tf.uint64), tf.TensorSpec([], tf.bool)])

    def choice(self, inputs, key, greedy):
        """What `act` returns, in a graph: tensors by name.

        Args:
            inputs: Observations `[B, *shape]`.
            key: Key of the noise.
            greedy: Bool, or a scalar tensor.
        """
        found = self.beliefs(inputs, key)
        shares = found["probabilities"]
        best = found.get("values", shares)
        action = tf.argmax(tf.where(greedy, best, found.pop("scores")), axis=-1,
                           output_type=tf.int32)
        return {"action": action, "entropy": entropy_of(shares),
                "probability": tf.gather(shares, action, batch_dims=1), **found}

    def episode_seeds(self, purpose, first, count, seed=None):
        """Seeds of episodes, `[count]`, at least 0."""
        numbers = first + np.arange(count)
        seed = noise.short_seed(self.seed if seed is None else seed)
        words = counter_noise.words(seed, purpose, numbers)
        return (words >> np.uint64(2)).astype("int64")

    def train_seeds(self, first, count):
        """Seeds of episodes of training, `[count]`.

        Args:
            first: Integer, episodes before these.
            count: Integer.
        """
        return self.episode_seeds(_TRAIN, first, count)

    def _key(self):
        return noise.key(self.seed, noise.PREDICT)

    @classmethod
    def network_arguments(cls, config, row_shape):
        world = registry.build(config["world"])
        return {name: {"input_shape": row_shape, "outputs": world.num_actions}
                for name in cls.config_sections if name != "world"}

    def get_config(self):
        config = {**super().get_config(), "discount": self.discount}
        del config["num_data"]  # There is no set of data.
        return config


def entropy_of(probabilities):
    """Entropies of rows of probabilities `[B, A]`, in nats."""
    return 0.0 - tf.reduce_sum(tf.math.xlogy(probabilities, probabilities), axis=-1)
