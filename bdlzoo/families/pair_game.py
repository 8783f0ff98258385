"""Base class of style models that discriminators of pairs teach.

    Dxy(x, y), Dxz(x, z)    logits: is this pair one of the data?
    BCE(D, 1) = softplus(-D),    BCE(D, 0) = softplus(D)

Each of five networks has an optimiser of its own, and a step of one of them moves no
other. Rows without a label stand beside those with one.
"""

import typing

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, keras_internals, noise
from bdlzoo.core.replicas import gathered, share_of
from bdlzoo.families.style_model import StyleModel
from bdlzoo.surgery import conversion, output_shape, random_layers

DISCRIMINATORS = ("discriminator_xy", "discriminator_xz")


class StepRows(typing.NamedTuple):
    """Rows of a step: those with labels, and others."""

    x: tf.Tensor
    y: tf.Tensor
    weight: tf.Tensor | None
    others: tf.Tensor


class Made(typing.NamedTuple):
    """Inputs that the generator made, with what they were made of."""

    x: tf.Tensor
    choice: tf.Tensor  # [B, K], one-hot
    styles: tf.Tensor  # [B, D]


class PairGame(StyleModel):
    """Trains a classifier, a generator and an inference network by discriminators.

    A subclass writes `train_step`.

    Args:
        network: Keras model that classifies; its outputs are logits of K classes.
        generator: Keras model from `[z, y]` to inputs.
        inference: Keras model from an input to its style, D numbers.
        discriminator_xy: Keras model from `[x, y]` to a logit.
        discriminator_xz: Keras model from `[x, z]` to a logit.
        likelihood: Likelihood of the labels, categorical.
        labelled_batch: Integer, labelled rows of a batch; `None` for `batch_size`.
        **kwargs: Arguments of `StyleModel`: `average_decay`, `num_samples`,
            `num_data`, `seed`.
    """

    optimizer_names = ("optimizer", "generator_optimizer", "inference_optimizer",
                       "discriminator_xy_optimizer", "discriminator_xz_optimizer")
    side_data = ("unlabelled",)
    plays_against_itself = True
    config_sections = ("network", "generator", "inference", *DISCRIMINATORS, "latent")

    def __init__(self, network, generator, inference, discriminator_xy,
                 discriminator_xz, likelihood="categorical", *, labelled_batch=None,
                 **kwargs):
        super().__init__(network, generator, inference, likelihood, **kwargs)
        for part in (discriminator_xy, discriminator_xz):
            conversion.check_network(part)
        self.discriminator_xy = discriminator_xy
        self.discriminator_xz = discriminator_xz
        self.labelled_batch = labelled_batch

    @classmethod
    def network_arguments(cls, config, row_shape):
        latent, classes = config["latent"], config["network"]["outputs"]
        return {"generator": {"latent": latent, "num_classes": classes,
                              "output_shape": row_shape},
                "inference": {"input_shape": row_shape, "outputs": latent},
                "discriminator_xy": {"input_shape": row_shape, "num_classes": classes},
                "discriminator_xz": {"input_shape": row_shape, "latent": latent}}

    def build(self, input_shape):
        super().build(input_shape)
        for name, beside in zip(DISCRIMINATORS, (self.num_classes, self.latent)):
            network = getattr(self, name)
            _check_discriminator(name, network, input_shape, beside)
            random_layers.adopt(network)
        if self.compiled:
            self.build_optimizers()

    def compile(self, optimizer=None, generator_optimizer=None,
                inference_optimizer=None, discriminator_xy_optimizer=None,
                discriminator_xz_optimizer=None, **kwargs):
        """Compiles as in Keras, with an optimiser for each network.

        Args:
            optimizer: Optimiser of the classifier, which counts the steps; `None` is
                the published one, Adam with learning rate 3e-4 and `beta_1` 0.5.
            generator_optimizer: Optimiser of the generator; `None`, here and below, is
                one like that of the classifier.
            inference_optimizer: Optimiser of the inference network.
            discriminator_xy_optimizer: Optimiser of this discriminator.
            discriminator_xz_optimizer: Optimiser of this discriminator.
            **kwargs: Other arguments of `keras.Model.compile`, such as `metrics`,
                `jit_compile` and `steps_per_execution`.
        """
        super().compile(optimizer=keras.optimizers.Adam(
            3e-4, beta_1=0.5) if optimizer is None else optimizer, **kwargs)
        given = (generator_optimizer, inference_optimizer, discriminator_xy_optimizer,
                 discriminator_xz_optimizer)
        for name, one in zip(self.optimizer_names[1:], given, strict=True):
            setattr(self, name, keras.optimizers.get(
                type(self.optimizer).from_config(self.optimizer.get_config())
                if one is None else one))
        every = {id(getattr(self, name)) for name in self.optimizer_names}
        if len(every) < len(self.optimizer_names):
            raise ValueError("Expected an optimiser for each of the five networks. "
                             "Received: the same one twice")
        if self.built:
            self.build_optimizers()

    def variable_groups(self):
        return tuple(part.trainable_variables for part in (
            self.network, self.generator, self.inference, self.discriminator_xy,
            self.discriminator_xz))

    # What a step may use.

    def learn(self, name, loss, x):
        """A step of one optimiser; returns the loss.

        Args:
            name: One of `optimizer_names`.
            loss: Function that returns a loss, the mean over rows.
            x: Inputs of this replica.
        """
        optimizer = getattr(self, name)
        variables = dict(zip(self.optimizer_names, self.variable_groups()))[name]
        with tf.GradientTape() as tape:
            found = loss()
            scaled = share_of(found, optimizer, x)
        optimizer.apply(tape.gradient(scaled, variables), variables)
        return found

    def style_loss(self, error):
        """R_z from the mean squared error of the numbers of a style.

        It is half the squared length of the error of a style, minus the log density of
        a unit normal up to a constant.
        """
        return 0.5 * self.latent * error

    def balanced_labels(self, count):
        """One-hot labels `[count, K]`, the classes in turn.

        They go on from one replica to the next.
        """
        context = tf.distribute.get_replica_context()
        first = count * context.replica_id_in_sync_group
        return tf.one_hot((first + tf.range(count)) % self.num_classes,
                          self.num_classes)

    def average_logits(self, x):
        """Logits of the averaged classifier, without noise."""
        return tf.cast(self.average(x, training=False), tf.float32)

    def pseudo_labels(self, x):
        """One-hot classes that the averaged classifier gives to rows."""
        return tf.one_hot(tf.argmax(self.average_logits(x), axis=-1), self.num_classes)

    # Data.

    def check_sets(self, data):
        super().check_sets(data)
        if "unlabelled" not in data.side:
            raise ValueError(
                "Expected rows without labels: give them as `unlabelled`, or mark them "
                "by -1 in `y`. Where all rows have a label, use a classifier such as "
                "`Deterministic` or `MCDropout`; to make inputs from labelled rows "
                "alone, give the same rows as `unlabelled`. Received: unlabelled=None")
        if not data.arrays:
            return
        shape = self.output_shape_of(batches.row_shapes(data.x))
        labels = np.asarray(self.likelihood.labels(
            tf.convert_to_tensor(data.y), tf.zeros([len(data.y), shape[-1]])))
        missing = sorted({*range(shape[-1])} - {*labels.ravel().tolist()})
        if missing:
            raise ValueError(
                "Expected at least one row with a label of each class: the others have "
                f"nothing to be learnt from. Received: no label of classes {missing}")

    def rows_of_batch(self, name, batch_size):
        return self.labelled_batch or batch_size if name is None else batch_size

    def get_config(self):
        return {**super().get_config(), "labelled_batch": self.labelled_batch, **{
            name: keras.saving.serialize_keras_object(getattr(self, name))
            for name in DISCRIMINATORS}}

    @classmethod
    def from_config(cls, config):
        return super().from_config({**config, **{
            name: keras.saving.deserialize_keras_object(config[name])
            for name in DISCRIMINATORS}})


def passed(network, inputs, key):
    """Outputs of a network in training, with the noise of a key."""
    with noise.draws(key):
        return tf.cast(network(inputs, training=True), tf.float32)


def as_real(scores):
    """Mean of BCE(D, 1) over scores `[B, 1]`."""
    return tf.reduce_mean(tf.nn.softplus(-scores))


def as_false(scores):
    """Mean of BCE(D, 0) over scores `[B, 1]`."""
    return tf.reduce_mean(tf.nn.softplus(scores))


def cross_entropy(choice, logits):
    """Mean cross entropy of one-hot classes and logits `[B, K]`."""
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(choice, logits))


def entropies(logits):
    """Mean entropy of predictions `[B, K]`, and how far their mean is from uniform.

    The second is the cross entropy of the uniform distribution and the mean over all
    rows, also those of other replicas; log K where the mean is uniform.
    """
    log_probs = tf.nn.log_softmax(logits)
    entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(log_probs) * log_probs, axis=-1))
    every = gathered(log_probs)
    rows = tf.cast(tf.shape(every)[0], tf.float32)
    log_mean = tf.reduce_logsumexp(every, axis=0) - tf.math.log(rows)
    return entropy, -tf.reduce_mean(log_mean)


def squared_kernels(network):
    """Sum of the squares of all kernels of a network."""
    kernels = [tf.convert_to_tensor(w) for w in network.trainable_variables
               if len(w.shape) > 1]
    return tf.add_n([tf.reduce_sum(tf.square(tf.cast(kernel, tf.float32)))
                     for kernel in kernels])


def _check_discriminator(name, network, input_shape, beside):
    wanted = [tuple(input_shape), (None, beside)]
    functional = keras_internals.graph(network)
    inputs = wanted if functional is None else [
        tuple(symbol.shape) for symbol in functional.inputs]
    if [shape[1:] for shape in inputs] != [shape[1:] for shape in wanted]:
        raise ValueError(
            f"Expected a {name} with two inputs, of shapes {wanted}. Received: inputs "
            f"of shapes {inputs}")
    found = output_shape.of(network, wanted)
    if found != (None, 1):
        raise ValueError(f"Expected a {name} with one output, a logit. Received: "
                         f"outputs of shape {found}")
