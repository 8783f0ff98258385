"""Generative adversarial network on vectors, such as samples of weights.

    w = center + scale * G(z),   z ~ N(0, I),   D scores (w - center) / scale

What D and G minimise is in `gan_losses.py`.

Vectors are long (D numbers, tens of thousands) and networks narrow (h units), and the
layers of both networks next to the vectors are linear. So three products of matrices
replace arrays `[B, D]`, exactly. With `K`, `b` of the last layer of G, `A`, `a` of
the first layer of D, H the last hidden units of G and s the slopes of D in its first
units:

    G A + a          = H (K A) + (b A + a)         no fake is computed in training
    x A + a          = between those of real and fake, as x is
    ||grad D(x)||**2 = s (A' A) s'                 no gradient of length D either

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.batches import is_arrays, unpack
from bdlzoo.core.replicas import share_of
from bdlzoo.families.gan_losses import gan_loss, mean
from bdlzoo.model.stochastic_model import StochasticModel

_RESOLUTION = 1e-6  # Of float32: a coordinate that varies less is a constant.


@keras.saving.register_keras_serializable(package="bdlzoo")
class WeightGAN(StochasticModel):
    """Learns to generate vectors like those of the training set.

    A step is `critic_steps` updates of the critic, each on its own rows and noise,
    and one update of the generator.

    Args:
        size: Integer, length of the vectors.
        mode: `"gan"`, `"wgan"` or `"wgan_gp"`: the losses of `gan_losses.py`.
        width: Integer, units of the three hidden layers of both networks.
        latent: Integer, length of the noise z.
        standardize: Bool, whether the networks see each coordinate with mean 0
            and scale 1; the scales of the weights of a network differ a lot.
        critic_steps: Integer, updates of the critic for one of the generator;
            `None` is 1 for `"gan"`, else 5.
        penalty: Float, weight of the gradient penalty of `"wgan_gp"`.
        clip: Float, largest weight of the critic of `"wgan"`.
        **kwargs: Arguments of `StochasticModel`: `num_data`, `seed`, and those of
            `keras.Model`, such as `name`.

    Example:

        gan = WeightGAN(samples.shape[1], width=20)
        gan.compile()
        gan.fit(samples, batch_size=100, epochs=20, steps_per_epoch=500)
        new = gan.generate(10, noise.key(0, noise.PREDICT))
    """

    targets = "none"
    log_names = ("loss", "generator_loss", "penalty")
    optimizer_names = ("optimizer", "critic_optimizer")

    def __init__(self, size, mode="wgan_gp", width=100, latent=32, standardize=True,
                 critic_steps=None, penalty=10.0, clip=0.01, **kwargs):
        losses = gan_loss(mode)
        if critic_steps is None:
            critic_steps = losses.critic_steps
        for name, value in (("size", size), ("width", width), ("latent", latent),
                            ("critic_steps", critic_steps)):
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ValueError("Expected a whole number of at least 1. Received: "
                                 f"{name}={value!r}")
        if not penalty >= 0:
            raise ValueError("Expected a number that is not negative. Received: "
                             f"penalty={penalty}")
        if not clip > 0:
            raise ValueError(f"Expected a positive number. Received: clip={clip}")
        # Differences of long vectors need the digits of float32.
        super().__init__(**{**kwargs, "dtype": "float32"})
        self.size = int(size)
        self.mode = mode
        self.gan_loss = losses
        self.width = int(width)
        self.latent = int(latent)
        self.standardize = standardize
        self.critic_steps = int(critic_steps)
        self.penalty = penalty
        self.clip = clip
        self.generator = _network(self.latent, self.width, self.size, "generator")
        self.critic = _network(self.size, self.width, 1, "critic",
                               losses.constraint(clip))
        self.center = self._statistic("center", (self.size,), "zeros")
        self.scale = self._statistic("scale", (self.size,), "ones")
        # Not the square of `scale`, which is 1 for constant coordinates.
        self.variance = self._statistic("variance", (self.size,), "zeros")
        self.num_seen = self._statistic("num_seen", (), "zeros")
        self.built = True

    def _statistic(self, name, shape, initializer):
        return self.add_weight(
            name=name, shape=shape, initializer=initializer, trainable=False,
            autocast=False, aggregation="only_first_replica")

    @property
    def data_copies(self):
        """Each update of the critic has its own order of the rows."""
        return self.critic_steps

    def compile(self, optimizer=None, critic_optimizer=None, **kwargs):
        """Compiles as in Keras, with optimisers for generator and critic.

        Args:
            optimizer: Optimiser of the generator; `None` is the one of the paper of
                the mode. Its `iterations` count the steps.
            critic_optimizer: Optimiser of the critic; `None` is the one of the paper
                of the mode.
            **kwargs: Other arguments of `keras.Model.compile`, such as
                `jit_compile` and `steps_per_execution`.
        """
        both = [keras.optimizers.get(self.gan_loss.optimizer() if one is None else one)
                for one in (optimizer, critic_optimizer)]
        if both[0] is both[1]:
            raise ValueError("Expected an optimiser for each of the two networks. "
                             f"Received: the same {type(both[0]).__name__} twice")
        super().compile(optimizer=both[0], **kwargs)
        self.critic_optimizer = both[1]
        self.build_optimizers()

    def check_data(self, x, y):
        super().check_data(x, y)
        shape = tuple(getattr(x, "shape", ()))
        if len(shape) != 2 or shape[1] != self.size:
            raise ValueError(f"Expected vectors [N, {self.size}]. Received: "
                             f"shape={shape}")
        if shape[0] < self.critic_steps:
            raise ValueError(
                "Expected at least one row for each of the "
                f"{self.critic_steps} updates of the critic in a step: keep more "
                f"samples, or use fewer `critic_steps`. Received: {shape[0]} rows")

    def quick_check(self, x, y):
        # The last batch may be too short for a step.
        return super().quick_check(x, y)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, **kwargs):
        """Trains on vectors `[N, size]`; a step is one of the generator.

        Args:
            x: Array of vectors `[N, size]`, or a dataset of batches
                `[critic_steps * B, size]`, which needs `set_statistics` first.
            y: Must be `None`: there are no targets.
            batch_size: Integer, rows of one update of the critic: a batch of an
                array is `[batch_size, critic_steps, size]`; `None` is 32.
            epochs: Integer, passes over the data.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        if self.standardize and not float(self.num_seen):
            if not is_arrays(x):
                raise ValueError(
                    "Expected an array; for other data call "
                    "`set_statistics(samples)` first. Received: x of type "
                    f"{type(x).__name__}")
            self.check_data(x, y)
            self.set_statistics(x)
        return super().fit(x, y, batch_size, epochs, verbose, callbacks, **kwargs)

    def set_statistics(self, samples):
        """Takes `center` and `scale` from samples `[N, size]`.

        Without `standardize` they stay 0 and 1.
        """
        if not self.standardize:
            return
        samples = np.asarray(samples, "float32")
        # Sums in double precision, without a copy of all samples in it.
        center = samples.mean(axis=0, dtype="float64")
        variance = np.mean(np.square(samples - center.astype("float32")), axis=0,
                           dtype="float64")
        self.num_seen.assign(float(len(samples)))
        self._set_moments(center, variance)

    def observe(self, rows, active=1.0):
        """Updates `center` and `scale` by rows `[M, size]`, inside a graph.

        Args:
            rows: Vectors, the same on all replicas.
            active: Scalar, 1 if the rows count, else 0.
        """
        if not self.standardize:
            return
        rows = tf.cast(rows, tf.float32)
        mean, variance = tf.nn.moments(rows, axes=[0])
        more = tf.cast(active, tf.float32) * tf.cast(tf.shape(rows)[0], tf.float32)
        total = self.num_seen + more
        share = tf.math.divide_no_nan(more, total)
        shift = mean - self.center
        variance = self.variance + share * (
            variance - self.variance + (1.0 - share) * tf.square(shift))
        self.num_seen.assign(total)
        self._set_moments(self.center + share * shift, variance)

    def _set_moments(self, center, variance):
        varies = variance > tf.square(_RESOLUTION * center)
        self.scale.assign(tf.where(varies, tf.sqrt(variance), 1.0))
        self.center.assign(center)
        self.variance.assign(variance)

    def standardized(self, vectors):
        """Raw vectors, scaled for the critic."""
        vectors = tf.cast(vectors, tf.float32)
        if not self.standardize:
            return vectors
        return (vectors - self.center) * (1.0 / self.scale)

    def call(self, inputs):
        """Vectors `[B, size]` for noise `[B, latent]`."""
        vectors = _run(self.generator.layers, inputs)
        return self.center + self.scale * vectors if self.standardize else vectors

    def generate(self, num, key):
        """Returns new vectors; the first k do not depend on `num`.

        Args:
            num: Integer or tensor, number of vectors.
            key: Key of the noise, see `bdlzoo.core.noise`.

        Returns:
            Tensor `[num, size]`.
        """
        return self(self.latents(num, key))

    def latents(self, num, key):
        """Noise of new vectors, `[num, latent]`; the first k do not depend on num."""
        return tf.map_fn(lambda draw_key: noise.normal([self.latent], draw_key),
                         noise.split(key, num), fn_output_signature=tf.float32)

    def served_parts(self):
        return [self.generator, *([self.center.value, self.scale.value]
                                  if self.standardize else [])]

    def variable_groups(self):
        return self.generator.trainable_variables, self.critic.trainable_variables

    def train_step(self, data):
        real, _, _ = unpack(data)
        _, own = self.step_keys()
        logs = self.learn(real, own)
        return self.reduced(self.track(logs, tf.shape(real)[0]))

    def learn(self, real, key):
        """One step: `critic_steps` updates of the critic, one of the generator.

        Args:
            real: Raw vectors `[critic_steps * B, size]`, or
                `[B, critic_steps, size]`.
            key: Key of the noise of the step.

        Returns:
            Dictionary of `loss` (of the critic, in its last update),
            `generator_loss` and, for `"wgan_gp"`, `penalty`, before its weight.
        """
        self._check_compiled()
        batches = self._minibatches(real)
        for i, batch in enumerate(batches):
            logs = self._critic_step(batch, noise.fold_in(key, i))
        count = _num_rows(batches[-1])
        loss = self._generator_step(count, noise.fold_in(key, self.critic_steps))
        return {**logs, "generator_loss": loss}

    def no_logs(self):
        """Zeros in the form of the result of `learn`, for a step without it."""
        names = ("loss", *["penalty"] * self.gan_loss.has_penalty, "generator_loss")
        return {name: tf.constant(0.0) for name in names}

    def _minibatches(self, real):
        if real.shape.rank == 3:
            return tf.unstack(real, self.critic_steps, axis=1)
        each = _num_rows(real) // self.critic_steps
        return [real[i * each:(i + 1) * each] for i in range(self.critic_steps)]

    def _critic_step(self, real, key):
        real = self.standardized(real)  # [B, D]
        count = _num_rows(real)
        hidden = self._hidden(count, noise.fold_in(key, 0))
        first, *rest = self.critic.layers
        with tf.GradientTape() as tape:
            on_real, on_fake = first(real), self._first_units(hidden)  # [B, h]
            scores = _run(rest, tf.concat([on_real, on_fake], axis=0))
            loss = self.gan_loss.of_critic(scores[:count], scores[count:])
            logs = {}
            if self.gan_loss.has_penalty:
                mix = noise.uniform([count, 1], noise.fold_in(key, 1))
                between = on_real + mix * (on_fake - on_real)
                logs["penalty"] = gradient_penalty(self.critic, between)
                loss += self.penalty * logs["penalty"]
            share = share_of(loss, self.critic_optimizer)
        variables = self.critic.trainable_variables
        self.critic_optimizer.apply(tape.gradient(share, variables), variables)
        return {"loss": loss, **logs}

    def _generator_step(self, count, key):
        with tf.GradientTape() as tape:
            units = self._first_units(self._hidden(count, key))
            loss = self.gan_loss.of_generator(_run(self.critic.layers[1:], units))
            share = share_of(loss, self.optimizer)
        variables = self.generator.trainable_variables
        self.optimizer.apply(tape.gradient(share, variables), variables)
        return loss

    def _hidden(self, count, key):
        """Last hidden units of the generator, `[B, h]`."""
        return _run(self.generator.layers[:-1],
                    noise.normal([count, self.latent], key))

    def _first_units(self, hidden):
        """First layer of the critic, for the vectors that `hidden` gives."""
        last, first = self.generator.layers[-1], self.critic.layers[0]
        return tf.matmul(hidden, tf.matmul(last.kernel, first.kernel)) + first(
            last.bias[None])

    def get_config(self):
        return {**super().get_config(), "size": self.size, "mode": self.mode,
                "width": self.width, "latent": self.latent,
                "standardize": self.standardize, "critic_steps": self.critic_steps,
                "penalty": self.penalty, "clip": self.clip}


def gradient_penalty(critic, units):
    """Mean of `(||gradient|| - 1)**2` of a critic in its inputs.

    Args:
        critic: Sequential network whose first layer is dense and linear.
        units: What that layer makes of the inputs, `[B, h]`.
    """
    first, *rest = critic.layers
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(units)
        scores = _run(rest, units)
    slopes = tape.gradient(scores, units)  # [B, h]
    gram = tf.matmul(first.kernel, first.kernel, transpose_a=True)  # [h, h]
    squares = tf.reduce_sum(tf.matmul(slopes, gram) * slopes, axis=1)
    # Rounding can make it negative, and a root has no slope at 0.
    norms = tf.sqrt(tf.maximum(squares, 0.0) + 1e-12)
    return mean(tf.square(norms - 1.0))


def _network(inputs, width, outputs, name, constraint=None):
    def dense(units):
        return keras.layers.Dense(
            units, kernel_initializer="he_normal", kernel_constraint=constraint,
            bias_constraint=constraint, dtype="float32")

    # Activations are separate layers: the first layer of the critic is linear.
    hidden = [layer for _ in range(3) for layer in (
        dense(width), keras.layers.ReLU(dtype="float32"))]
    return keras.Sequential([keras.Input((inputs,), dtype="float32"), *hidden,
                             dense(outputs)], name=name)


def _run(layers, tensor):
    for layer in layers:
        tensor = layer(tensor)
    return tensor


def _num_rows(tensor):
    return tensor.shape[0] or tf.shape(tensor)[0]
