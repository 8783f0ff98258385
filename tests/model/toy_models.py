"""Small models of every kind that the engine trains, and a world for one of them."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, noise
from bdlzoo.core.replicas import share_of
from bdlzoo.data import Experience
from bdlzoo.model import StochasticModel


def compiled(kind, optimizer=None, seed=5, **kwargs):
    """A model of a kind, with plain gradient descent unless told otherwise."""
    model = kind(seed=seed, **kwargs)
    model.compile(optimizer or keras.optimizers.SGD(0.02))
    return model


def weights(model):
    """All numbers of a model and of its optimisers."""
    optimizers = [getattr(model, name) for name in model.optimizer_names]
    return [np.asarray(w) for part in (model, *optimizers) for w in part.variables]


def assert_equal(first, second):
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


class Density(StochasticModel):
    """A Gaussian of unit scale whose mean is learnt: no targets."""

    targets = "none"

    def build(self, input_shape):
        self.mean = self.add_weight(
            name="mean", shape=input_shape[1:], initializer="zeros")
        self.built = True

    def objective(self, x, y, sample_weight, key):
        assert y is None
        cost = self.scores(x, y, key)["loss"]
        return {"loss": batches.weighed_mean(cost, sample_weight)}, None

    def scores(self, x, y, key):
        return {"loss": 0.5 * tf.reduce_sum(tf.square(x - self.mean), axis=-1)}


class Line(StochasticModel):
    """A line through labelled rows that is flat on the rows of other sets."""

    targets = "required"
    side_data = ("unlabelled", "target")
    log_names = ("loss", "error", "unlabelled", "target")
    jitter = 0.1  # Noise on the slope.

    def build(self, input_shape):
        self.kernel = self.add_weight(name="kernel", shape=(4,), initializer="ones")
        self.built = True

    def line(self, x):
        return tf.linalg.matvec(x["a"] if isinstance(x, dict) else x, self.kernel)

    def objective(self, x, y, sample_weight, key, **side):
        error = tf.square(self.line(x) - tf.cast(y, tf.float32))
        logs = {"error": batches.weighed_mean(error, sample_weight)}
        for name, rows in side.items():
            logs[name] = tf.reduce_mean(tf.square(self.line(rows)))
        push = self.jitter * tf.reduce_sum(noise.normal([4], key) * self.kernel)
        return {"loss": tf.add_n([push, *logs.values()]), **logs}, None

    def scores(self, x, y, key):
        return {"loss": tf.square(self.line(x) - tf.cast(y, tf.float32))}


class StillLine(Line):
    """The same without noise."""

    jitter = 0.0


@keras.saving.register_keras_serializable(package="bdlzoo_tests")
class Adversaries(StochasticModel):
    """A generator and a critic, each with a loss and an optimiser of its own."""

    targets = "none"
    log_names = ("generator_loss", "critic_loss")
    optimizer_names = ("optimizer", "critic_optimizer")

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.generator = keras.layers.Dense(2, kernel_initializer="ones")
        self.critic = keras.layers.Dense(1, kernel_initializer="ones")

    def build(self, input_shape):
        for part in (self.generator, self.critic):
            part.build((None, 2))
        self.built = True

    def compile(self, optimizer="sgd", critic_optimizer="adam", **kwargs):
        super().compile(optimizer=optimizer, **kwargs)
        self.critic_optimizer = keras.optimizers.get(critic_optimizer)

    def variable_groups(self):
        return self.generator.trainable_variables, self.critic.trainable_variables

    def train_step(self, data):
        x, _, _ = batches.unpack(data)
        self.build_once(x)
        _, own = self.step_keys()
        with tf.GradientTape(persistent=True) as tape:
            fake = self.generator(noise.normal(tf.shape(x), own))
            score, real = (tf.reduce_mean(tf.tanh(self.critic(rows)))
                           for rows in (fake, x))
            logs = {"generator_loss": -score, "critic_loss": score - real}
            losses = [share_of(loss, optimizer, x) for loss, (optimizer, _)
                      in zip(logs.values(), self._optimizers())]
        for loss, (optimizer, variables) in zip(losses, self._optimizers()):
            optimizer.apply(tape.gradient(loss, variables), variables)
        return self.reduced(self.track(logs, tf.shape(x)[0]))


class Policy(StochasticModel):
    """Probabilities of three actions, moved by what they bring."""

    def build(self, input_shape):
        self.logits = self.add_weight(name="logits", shape=(3,), initializer="zeros")
        self.built = True

    def objective(self, x, y, sample_weight, key):
        gain = y * tf.reduce_sum(x * tf.nn.log_softmax(self.logits), axis=-1)
        return {"loss": -batches.weighed_mean(gain, sample_weight)}, None

    def scores(self, x, y, key):
        return {"loss": -tf.reduce_sum(x * tf.nn.log_softmax(self.logits), axis=-1)}


class Bandit(Experience):
    """Three arms; a batch is one new play and two that are remembered."""

    pays = np.array([0.1, 1.0, 0.4], "float32")

    def __init__(self, steps_per_epoch):
        super().__init__(steps_per_epoch)
        self.arms, self.steps = [0, 1], []

    def play(self, logits, seed, step):
        """Plays once; returns the actions and rewards of a batch."""
        chance = tf.nn.softmax(logits).numpy()
        draw = float(noise.uniform([], noise.key(seed, 99, step)))
        self.arms.append(int(np.searchsorted(np.cumsum(chance)[:2], draw)))
        self.steps.append(step)
        chosen = np.array(self.arms[-3:])
        return np.eye(3, dtype="float32")[chosen], self.pays[chosen] * (1 + draw)

    def collect(self, model, step):
        x, y = self.play(model.logits, model.seed, step)
        return x, y.astype("float32")

    def state(self):
        return {"replay/arms": np.array(self.arms), "steps": np.array(self.steps)}

    def restore(self, state):
        self.arms = state["replay/arms"].tolist()
        self.steps = state["steps"].tolist()
