"""Base class of classifiers that also make inputs of a class in a style.

    G   generator       [z, y] -> x,    z ~ U(0, 1)^D the style, y the class, one-hot
    I   inference       x -> z
    C   the average over steps of a network x -> logits of y

The average predicts: probabilities, calibration and exports are its own. Of new inputs,
all rows of `generate` have noise of their own, which does not depend on the number of
rows. `transfer` is G(y', I(x)): another class, in the style of x.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.core.checks import check_count
from bdlzoo.families import averaged_network, point_estimate
from bdlzoo.families.class_generator import DRAWN, ClassGenerator
from bdlzoo.families.latent_model import by_rows
from bdlzoo.likelihoods import Categorical
from bdlzoo.model import signatures
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.surgery import cloning, conversion, output_shape, random_layers

_SHOWN = 10  # Columns of a picture.


class StyleModel(ClassGenerator, PredictiveModel):
    """Predicts classes, and makes inputs of a class in a style.

    A subclass writes `train_step`.

    Args:
        network: Keras model that classifies; its outputs are logits of K classes.
        generator: Keras model from `[z, y]` to inputs.
        inference: Keras model from an input to its style, D numbers.
        likelihood: Likelihood of the labels, categorical.
        average_decay: Float, at least 0 and below 1, share of the averages that a step
            keeps.
        **kwargs: Arguments of `PredictiveModel`: `num_samples`, `num_data`, `seed`.
    """

    needs_num_data = False
    draws_differ = False

    def __init__(self, network, generator, inference, likelihood="categorical", *,
                 average_decay=0.99, **kwargs):
        super().__init__(network, likelihood, **kwargs)
        if not 0 <= average_decay < 1:
            raise ValueError("Expected a number of at least 0 and below 1. Received: "
                             f"average_decay={average_decay}")
        for part in (generator, inference):
            conversion.check_network(part)
        self.generator = generator
        self.inference = inference
        self.average_decay = average_decay
        self.average = cloning.clone(network)

    def build(self, input_shape):
        super().build(input_shape)
        self.refuse_positions(self._output_dims, "the class is that of an input")
        if not isinstance(self.likelihood, Categorical) or (
                not self.likelihood.from_logits):
            raise ValueError(
                "Expected the likelihood of classes that a network gives logits of, "
                f"\"categorical\". Received: likelihood={self.likelihood}")
        if any(hasattr(part, "kl") for part in keras_internals.layers(self.network)):
            raise ValueError(
                "Expected a network without variational layers, whose divergence this "
                f"loss has not. Received: network {self.network.name}")
        self.num_classes = self._output_dims[-1]
        for network in (self.network, self.generator, self.inference):
            random_layers.adopt(network)
        averaged_network.begin(self.average, self.network, input_shape)
        self._row_shape = tuple(input_shape[1:])
        styles = output_shape.of(self.inference, input_shape)
        if len(styles) != 2:
            raise ValueError("Expected an inference network with outputs [B, D], the "
                             f"style. Received: outputs of shape {styles}")
        self.latent = styles[-1]
        self._check_generator()
        self._styled, self._moved, self._drawn = (
            tf.function(function, reduce_retracing=True) for function in (
                self.styles, self.transferred, self.samples))

    def _check_generator(self):
        wanted = [(None, self.latent), (None, self.num_classes)]
        functional = keras_internals.graph(self.generator)
        inputs = wanted if functional is None else [
            tuple(symbol.shape) for symbol in functional.inputs]
        if inputs != wanted:
            raise ValueError(
                "Expected a generator with inputs [z, y], styles and one-hot labels of "
                f"shapes {wanted}. Received: inputs of shapes {inputs}")
        found = output_shape.of(self.generator, wanted)
        if found[1:] != self._row_shape:
            raise ValueError(
                f"Expected a generator of inputs of shape {self._row_shape}, that of "
                f"the data. Received: a generator of shape {found[1:]}")

    # What graphs compute.

    def unit(self, key):
        """A style of the prior, `[D]`."""
        return noise.uniform([self.latent], key)

    def styles(self, x):
        """Styles of inputs, `[B, D]`."""
        return tf.cast(self.inference(x, training=False), tf.float32)

    def made(self, styles, choice):
        """Inputs of styles `[B, D]` and one-hot classes `[B, K]`."""
        return tf.cast(self.generator([styles, choice], training=False), tf.float32)

    def transferred(self, x, labels):
        """What `transfer` returns."""
        return self.made(self.styles(x), tf.one_hot(labels, self.num_classes))

    def samples(self, labels, key):
        """What `generate` returns."""
        choice, styles = self.draws_of(labels, key, self.unit)
        return self.made(styles, choice)

    # What a user calls.

    def style(self, x):
        """Styles of inputs, without their class.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            Array `[B, D]`; those of generated inputs are near the numbers from 0 to 1
            that they were made of.
        """
        return self._by_rows(self._styled, x)

    def transfer(self, x, labels):
        """Inputs of other classes in the style of these.

        Args:
            x: Inputs, as arrays or tensors.
            labels: Integer, the class of all, or integers `[B]`.

        Returns:
            Array in the shape of `x`.
        """
        return self._by_rows(self._moved, x, self.labels_of_rows(labels, len(x)))

    def generate_styles(self, styles, labels):
        """Inputs of given styles, such as those of a walk.

        Args:
            styles: Array `[B, D]`, numbers from 0 to 1.
            labels: Integer, the class of all, or integers `[B]`.

        Returns:
            Array `[B, ...]`.
        """
        self.check_ready()
        styles = np.asarray(styles, "float32")
        if styles.ndim != 2 or styles.shape[1] != self.latent:
            raise ValueError(f"Expected styles [B, {self.latent}]. Received: styles of "
                             f"shape {styles.shape}")
        choice = np.eye(self.num_classes, dtype="float32")[
            self.labels_of_rows(labels, len(styles))]
        [found] = by_rows(lambda *rows: [self.made(*rows)], tf.constant(styles),
                          tf.constant(choice))
        return found

    def drawn_styles(self, num_samples, seed=None):
        """The styles that `generate` makes inputs of.

        Args:
            num_samples: Integer, how many; fewer are the first of more.
            seed: Integer, or a pair; `None` takes the model's.

        Returns:
            Array `[num_samples, D]`.
        """
        self.check_ready()
        check_count("num_samples", num_samples)
        labels = tf.fill([num_samples], DRAWN)
        return self.draws_of(labels, self._predict_key(seed), self.unit)[1].numpy()

    def _by_rows(self, function, x, *further):
        x = tf.nest.map_structure(tf.convert_to_tensor, self.as_inputs(x))
        self.build_once(x)
        self.check_inputs(x)
        [found] = by_rows(lambda *rows: [function(*rows)], x,
                          *map(tf.constant, further))
        return found

    # Prediction, export and reports.

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # There is nothing to draw.
        return point_estimate.draw_parts(self.average, inputs)

    def endpoints(self, **options):
        def generate(num_samples, key):
            return {"samples": self.samples(tf.fill([num_samples], DRAWN), key)}

        def transfer(inputs, labels):
            return {"reconstruction": self.transferred(inputs, labels)}

        rows, draws = ("inputs",), ("num_samples", "seed")
        return {**super().endpoints(**options), **signatures.signatures(self, {
            "style": (lambda inputs: {"style": self.styles(inputs)}, rows),
            "transfer": (transfer, (*rows, "labels")),
            "generate": (generate, draws),
            "generate_labelled": (lambda labels, key: {
                "samples": self.samples(labels, key)}, ("labels", "seed"))}, **options)}

    def served_parts(self):
        return [self.average, self.generator, self.inference, self.likelihood,
                self.calibration]

    def pictures(self, x):
        if len(self._row_shape) != 3:
            return {}
        classes, shown = range(self.num_classes), x[:_SHOWN]
        names = [*map(str, classes)]
        ends = self.drawn_styles(2)
        walk = np.linspace(*ends, _SHOWN)
        return {
            "samples": ("image_grid", {
                "images": np.stack([self.generate(_SHOWN, label) for label in classes]),
                "rows": names,
                "title": "Drawn from the model: a class a row, a style a column"}),
            "transfer": ("image_grid", {
                "images": np.stack([shown, *(
                    self.transfer(shown, label) for label in classes)], axis=1),
                "columns": ["input", *names],
                "title": "Inputs, and other classes in their style"}),
            "walk": ("image_grid", {
                "images": np.stack([self.generate_styles(walk, label)
                                    for label in classes]), "rows": names,
                "title": "From one style to another, in each class"})}

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        config = {**super().get_config(), "generator": serialize(self.generator),
                  "inference": serialize(self.inference),
                  "average_decay": self.average_decay}
        for name in ("num_train_samples", "kl_weight"):  # One draw, and no prior.
            del config[name]
        return config

    @classmethod
    def from_config(cls, config):
        parts = {name: keras.saving.deserialize_keras_object(config[name])
                 for name in ("generator", "inference")}
        return super().from_config({**config, **parts})


