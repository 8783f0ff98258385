"""Base class of samplers: chains of stochastic gradient steps with noise.

    U(w)  = -log p(w) - sum over rows of log p(y | x, w)    posterior: exp(-U / T)
    g     = gradient of U / num_data, of a batch
    v    <- momentum v - h g + normal of variance 2 h (1 - momentum) T / num_data
    w    <- w + v

One convention for all samplers: h is the learning rate of `keras.optimizers.SGD`,
as if the mean loss were minimised, and temperature 1 is the Bayes posterior. Step sizes
of other codes, for the same chain without momentum:

    code                     drift              noise variance       here h is
    Welling and Teh (2011)   -(e / 2) grad U    e                    e num_data / 2
    noised SGD of APD        -(r / 2) g         r / num_data         r / 2
    cyclical SG-MCMC         -r g               2 r T / num_data     r
    TFP's SGLD               -(r / 2) grad U    r                    r num_data / 2

After `burn_in` steps one state in `thinning` is kept. If the learning rate falls, the
distance between kept samples stays the same in the time of the diffusion, so that a
plain mean over samples weighs each by its step size, as it should.
"""

import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, noise, strategies
from bdlzoo.core.flat_weights import FlatWeights
from bdlzoo.core.sample_file import SampleFile
from bdlzoo.families import weight_prior
from bdlzoo.families.member_model import MemberModel
from bdlzoo.model import fingerprint
from bdlzoo.surgery import memory

_BUDGET = 2**32  # Bytes of samples that a model may hold.


class ChainModel(MemberModel):
    """Runs chains side by side and keeps some of their states.

    Args:
        network: Keras model; chains start from their own initial weights.
        likelihood: Name, spec or `Likelihood` of the targets. Its own parameters,
            such as a noise scale, are fitted and not sampled.
        num_chains: Integer, chains that run side by side in one computation.
        burn_in: Integer, steps before samples are kept.
        thinning: Integer, steps from one kept sample to the next.
        num_kept: Integer, samples that are kept of each chain, the newest ones.
        temperature: Float, 1 for the Bayes posterior, 0 for no noise.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on
            the weights; `None` for a flat prior.
        sample_file: Path of a file to which all samples are written, also those
            that the model drops (see `bdlzoo.core.sample_file`); `None` for no
            file.
        **kwargs: Arguments of `MemberModel`: `own_order`, `num_samples`,
            `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    kept_weights = ("samples",)

    def __init__(self, network, likelihood="categorical", num_chains=1, burn_in=0,
                 thinning=1, num_kept=1, temperature=1.0, prior_scale=1.0,
                 sample_file=None, **kwargs):
        for name, value, least in (
                ("num_chains", num_chains, 1), ("burn_in", burn_in, 0),
                ("thinning", thinning, 1), ("num_kept", num_kept, 1)):
            if not isinstance(value, (int, np.integer)) or value < least:
                raise ValueError(f"Expected a whole number of at least {least}. "
                                 f"Received: {name}={value!r}")
        if not temperature >= 0:
            raise ValueError("Expected a temperature that is not negative: 1 is the "
                             "Bayes posterior, 0 is plain gradient descent. "
                             f"Received: temperature={temperature}")
        super().__init__(network, likelihood, num_members=num_chains, **kwargs)
        self.num_chains = num_chains
        self.burn_in = burn_in
        self.thinning = thinning
        self.num_kept = num_kept
        self.temperature = temperature
        self.prior_scale = prior_scale
        self.sample_file = sample_file

    @classmethod
    def check_members(cls, num_members):
        del num_members  # One chain is enough.

    # What a sampler may override.

    def check_sampler(self):
        """Raises if the compiled optimiser does not fit the sampler."""

    def noise_share(self, step):
        """Factor of the variance of the noise at a step: a schedule."""
        del step
        return 1.0

    def pace(self, step):
        """Length of a step, relative to the first step after burn-in."""
        schedule = keras_internals.schedule(self.optimizer)
        if schedule is None:
            return 1.0
        return schedule(step) / schedule(self.burn_in)

    def on_state(self, state, kept):
        """Is called with the state of the chains, `[M, D]`; `kept` is a bool."""

    def noisy(self, gradients, variance, key):
        """Gradients of a step with the noise of the sampler.

        Args:
            gradients: List of gradients of the mean loss, this replica's share.
            variance: Scalar, variance of the noise on a gradient of all replicas.
            key: Key of the noise, the same on all replicas.
        """
        replicas = tf.distribute.get_replica_context().num_replicas_in_sync
        scale = tf.sqrt(variance) / replicas
        return [g + normal for g, normal in zip(
            gradients, normals_like(gradients, key, scale))]

    # What a user calls.

    def kept_samples(self):
        """Returns the kept samples `[n, num_chains, D]`, the oldest first."""
        stored = int(self.num_stored.numpy())
        samples = self.samples.numpy()
        if stored <= self.num_kept:
            return samples[:stored]
        return np.roll(samples, -(stored % self.num_kept), axis=0)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, **kwargs):
        """Runs the chains as in Keras' `fit`; writes to `sample_file` if there is one.

        Args:
            x: Inputs, as arrays, or a dataset of pairs `(x, y)`.
            y: Targets; `None` for a dataset.
            batch_size: Integer, rows in a step; `None` is 32 for arrays.
            epochs: Integer, passes over the data.
            verbose: Progress bar: `"auto"`, 0, 1 or 2.
            callbacks: List of Keras callbacks.
            **kwargs: Other arguments of `keras.Model.fit`, and `num_data` and
                `checkpoint_dir`.
        """
        if self.sample_file is not None and strategies.is_chief(
                self.distribute_strategy):
            callbacks = [*(callbacks or []), _Stream(self.sample_file)]
        return super().fit(x, y, batch_size, epochs, verbose, callbacks, **kwargs)

    # The machinery.

    def build(self, input_shape):
        super().build(input_shape)
        self.flat = FlatWeights(self.network.plain)
        shape = (self.num_kept, self.num_chains, self.flat.size)
        if 4 * np.prod(shape, dtype="int64") > _BUDGET:
            raise ValueError(
                "Expected samples that fit into 4 GiB: keep fewer, and write all of "
                "them to a `sample_file`. Received: "
                f"num_kept={shape[0]}, of {shape[1]} chains with {shape[2]} weights")
        self._row_bytes, self._weight_bytes = memory.needs(self.blueprint)
        self.samples = self.new_state("samples", shape)
        self.num_stored = self.new_state("num_stored", (), "int32")
        self.elapsed = self.new_state("elapsed", ())

    def new_state(self, name, shape, dtype="float32"):
        return self.add_weight(
            name=name, shape=shape, dtype=dtype, initializer="zeros",
            trainable=False, autocast=False, aggregation="only_first_replica")

    def compile(self, optimizer="sgd", **kwargs):
        """Compiles as in Keras.

        Args:
            optimizer: `keras.optimizers.SGD`, whose learning rate is the step size.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=optimizer, **kwargs)
        settings = self.optimizer.get_config()
        off = [name for name in ("nesterov", "weight_decay", "clipvalue", "use_ema",
                                 "gradient_accumulation_steps") if settings.get(name)]
        if type(self.optimizer) is not keras.optimizers.SGD or off:
            raise ValueError(
                "Expected `keras.optimizers.SGD`, plain or with momentum: the noise "
                "needs steps of known size. Give a prior by `prior_scale`. "
                f"Received: {type(self.optimizer).__name__}"
                + "".join(f" with {name}={settings[name]}" for name in off))
        self.check_sampler()

    def kl(self):
        """Minus log prior of the weights, mean over chains."""
        if self.prior_scale is None:
            return None
        return weight_prior.energy(self.network.trainable_variables,
                                   self.prior_scale) / self.num_chains

    def update(self, gradients, key):
        step, rate = self.optimizer.iterations, self.optimizer.learning_rate
        friction = 1.0 - self.optimizer.momentum
        # Variance of the noise on a gradient; the step multiplies it by the rate.
        variance = tf.math.divide_no_nan(
            2.0 * friction * self.temperature * self.noise_share(step),
            rate * self.data_points)
        sampled = len(self.network.trainable_variables)  # The first gradients.
        pace = tf.where(step < self.burn_in, 0.0, self.pace(step))
        super().update([*self.noisy(gradients[:sampled], variance, key),
                        *gradients[sampled:]], key)
        self._keep(pace)

    def _keep(self, pace):
        """Keeps the states of the chains if it is time to."""
        elapsed = self.elapsed + pace
        due = elapsed >= self.thinning
        if tf.distribute.get_replica_context().num_replicas_in_sync == 1:
            tf.cond(due, lambda: self._write(due), lambda: None)
        else:  # A branch cannot write on replicas: the old value is written again.
            self._write(due)
        self.num_stored.assign(self.num_stored + tf.cast(due, tf.int32))
        self.elapsed.assign(elapsed - tf.where(due, float(self.thinning), 0.0))

    def _write(self, due):
        """Writes a sample if `due`; else the next slot keeps its value."""
        slot = [self.num_stored % self.num_kept]
        now = self.flat.flatten(self.network.parts())  # [M, D]
        rows = tf.where(due, now, tf.gather(self.samples.value, slot))
        self.samples.value.scatter_update(tf.IndexedSlices(rows, slot))
        self.on_state(now, due)

    @property
    def most_steps_per_call(self):
        """With a file, at most as many steps as fill the kept samples."""
        most = super().most_steps_per_call
        return most if self.sample_file is None else min(
            most, self.num_kept * self.thinning)

    def get_config(self):
        config = super().get_config()
        del config["num_members"]
        return {**config, **{name: getattr(self, name) for name in (
            "num_chains", "burn_in", "thinning", "num_kept", "temperature",
            "prior_scale")}, "sample_file": self.sample_file and str(
                self.sample_file)}


def normals_like(tensors, key, scale=1.0):
    """Normals of a given scale in the shapes of tensors, from one draw."""
    sizes = [math.prod(tensor.shape) for tensor in tensors]
    unused = -sum(sizes) % 4  # Cutting words would copy all of them.
    normals = tf.split(noise.cubic_normal([sum(sizes) + unused], key, scale),
                       [*sizes, unused])
    return [tf.reshape(normal, tensor.shape)
            for normal, tensor in zip(normals, tensors)]


class _Stream(keras.callbacks.Callback):
    """Writes samples to a file as they are kept."""

    every_call = True  # One call of several steps is soon enough.

    def __init__(self, path):
        super().__init__()
        self.path = path

    def on_train_begin(self, logs=None):
        model = self.model
        self.file = SampleFile(self.path, model.flat, model.num_chains,
                               fingerprint.short(model))
        self.written = int(model.num_stored)
        self.has_checkpoint = False
        # A run may continue before its first sample is kept.
        if self.written or int(model.optimizer.iterations) and self.file.is_begun():
            self.file.resume(self.written)
        else:
            self.file.begin()

    def on_epoch_begin(self, epoch, logs=None):
        if self.has_checkpoint:
            self.file.publish()

    def on_train_batch_end(self, batch, logs=None):
        stored, room = int(self.model.num_stored), self.model.num_kept
        if stored - self.written > room:
            raise ValueError(
                "Expected `steps_per_execution` small enough to write every sample: "
                f"at most {room * self.model.thinning}. Received: "
                f"{self.model.steps_per_execution}")
        slots = np.arange(self.written, stored) % room
        if len(slots):
            self.file.append(tf.gather(self.model.samples.value, slots).numpy())
        self.written = stored

    def on_epoch_end(self, epoch, logs=None):
        self.file.flush()  # Before the checkpoint that counts these samples.
        self.has_checkpoint = True

    def on_train_end(self, logs=None):
        self.file.publish()
