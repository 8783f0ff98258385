"""Structured GAN: makes inputs of the class and in the style that are asked for.

    C  x -> p(y | x)        G  [z, y] -> x        I  x -> z
    Dxy(x, y), Dxz(x, z)    logits: is this pair one of the data?

    C    nll + entropy_weight H(p(x_u)) + balance_weight CE(uniform, mean of p(x_u))
         + l2_weight ||w||^2 + generated_weight CE(C(G), y)
    Dxy  BCE(Dxy(real), 1) + BCE(Dxy(G, y), 0)
    Dxz  BCE(Dxz(x_u, I(x_u)), 1) + BCE(Dxz(G, z), 0)
    I    BCE(Dxz(x_u, I(x_u)), 0) + R_z
    G    BCE(Dxy(G, y), 1) + style_weight (BCE(Dxz(G, z), 1) + R_z) + label_weight R_y

    G = G(z, y) with z ~ U(0, 1)^D and as many of each class
    R_z = ||I(G) - z||^2 / 2,   R_y = CE(C(G), y)

A step moves each of the networks in this order, by its own optimiser, all with the same
G. Of the real pairs a share of `pseudo_share` are rows without a label with the class
that C gives them, and `generated_share` are made by G; the rest have a label. So the
labels that C learns reach G, but Dxy never trains C. Minimising R_z over I and R_y over
C leaves the equilibria of both games as they are (theorem 3.3).

The average of C over the steps labels rows, judges what G makes, and predicts.

Reference: Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017, and
its released code.
"""

import keras
import tensorflow as tf

from bdlzoo.core import batches, noise
from bdlzoo.core.checks import check_count
from bdlzoo.core.replicas import in_equal_shares, share_of
from bdlzoo.estimators.estimator import loaded, saved, schedule_or_number, value_at
from bdlzoo.families import augmented_inputs, averaged_network
from bdlzoo.families.pair_game import (
    Made,
    PairGame,
    StepRows,
    as_false,
    as_real,
    cross_entropy,
    entropies,
    passed,
    squared_kernels,
)
from bdlzoo.surgery import random_layers

_WEIGHTS = ("entropy_weight", "balance_weight", "l2_weight")
_SHARES = ("pseudo_share", "generated_share")
_RISING = ("generated_weight", "style_weight", "label_weight")
_GAMES = ("pair_critic", "style_critic", "style_error", "generator_loss")
# What keys are for.
_STYLES, _MADE, _CLASSES, _PAIRS, _STYLE_PAIRS, _INFERENCE, _GENERATOR = range(7)


@keras.saving.register_keras_serializable(package="bdlzoo")
class StructuredGAN(PairGame):
    """Learns classes from few labels, and makes inputs of a class in a style.

    Args:
        network: Keras model that classifies; its outputs are logits of K classes.
        generator: Keras model from `[z, y]`, styles `[B, D]` and one-hot labels
            `[B, K]`, to inputs.
        inference: Keras model from an input to its style, D numbers.
        discriminator_xy: Keras model from `[x, y]` to a logit.
        discriminator_xz: Keras model from `[x, z]` to a logit.
        likelihood: Likelihood of the labels; only `"categorical"` fits.
        pseudo_share: Share of the real pairs that have a label of the classifier: a
            float from 0 to 1, or a schedule over steps such as `LinearRise`, since
            early labels are wrong.
        generated_share: Share of the real pairs that the generator made, likewise.
        generated_weight: Float, at least 0, weight of generated rows in the loss of the
            classifier, or a schedule.
        entropy_weight: Float, at least 0, weight of the entropy of predictions for rows
            without a label.
        balance_weight: Float, at least 0, weight of the cross entropy of the uniform
            distribution and their mean.
        l2_weight: Float, at least 0, weight of the squared kernels of the classifier.
        style_weight: Float, at least 0, weight of the style in the loss of the
            generator, or a schedule. 0 leaves a GAN with a classifier, such as
            Triple-GAN.
        label_weight: Float, at least 0, weight of the classifier in it, or a schedule.
            Look at the images of each class: patterns that please the classifier
            alone are no images of a class.
        pretrain_steps: Integer, first steps, which train the classifier alone.
        labelled_batch: Integer, labelled rows of a batch; `None` for `batch_size`, as
            many as rows without a label.
        augmentation: Keras layer or model that changes inputs of the classifier at
            random in training, such as `keras.layers.RandomTranslation`, a name or a
            dictionary with the name under `type` and options beside it, or a list of
            them; `None` for none.
        average_decay: Float, at least 0 and below 1, share of the averages of the
            classifier that a step keeps.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        num_data: Integer, number of labelled rows; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        networks = bdlzoo.networks
        model = bdlzoo.methods.StructuredGAN(
            networks.GanClassifier((28, 28, 1)),
            networks.GanGenerator(50, 10, (28, 28, 1)),
            networks.GanInference((28, 28, 1), 50),
            networks.GanDiscriminator((28, 28, 1), 10),
            networks.GanCodeDiscriminator((28, 28, 1), 50))
        model.compile()
        model.fit(x, y, epochs=20)  # -1 in `y` marks rows without a label.
        model.predict_uncertainty(x_test).label
        new, other = model.generate(64, labels=7), model.transfer(x_test, labels=3)
    """

    log_names = ("loss", "nll", "entropy", *_GAMES)

    def __init__(self, network, generator, inference, discriminator_xy,
                 discriminator_xz, likelihood="categorical", pseudo_share=0.8,
                 generated_share=0.0, generated_weight=0.0, entropy_weight=0.3,
                 balance_weight=1e-3, l2_weight=1e-4, style_weight=1.0,
                 label_weight=1.0, pretrain_steps=0, labelled_batch=None,
                 augmentation=None, average_decay=0.99, num_samples=1, num_data=None,
                 seed=None, **kwargs):
        super().__init__(network, generator, inference, discriminator_xy,
                         discriminator_xz, likelihood, labelled_batch=labelled_batch,
                         average_decay=average_decay, num_samples=num_samples,
                         num_data=num_data, seed=seed, **kwargs)
        for name, value in zip(_WEIGHTS, (entropy_weight, balance_weight, l2_weight),
                               strict=True):
            if not value >= 0:
                raise ValueError("Expected a number that is not negative. Received: "
                                 f"{name}={value}")
        for name, value in (("pretrain_steps", pretrain_steps),
                            ("labelled_batch", labelled_batch)):
            if value:
                check_count(name, value)
        self.pseudo_share = _share("pseudo_share", pseudo_share)
        self.generated_share = _share("generated_share", generated_share)
        numbers = [share for share in (pseudo_share, generated_share)
                   if isinstance(share, (int, float))]
        if sum(numbers) > 1:
            raise ValueError("Expected shares of the real pairs that add up to 1 at "
                             f"most. Received: pseudo_share={pseudo_share}, "
                             f"generated_share={generated_share}")
        self.generated_weight, self.style_weight, self.label_weight = (
            schedule_or_number(name, value, lambda value: value >= 0,
                               "a number of at least 0")
            for name, value in zip(_RISING, (
                generated_weight, style_weight, label_weight), strict=True))
        self.entropy_weight = entropy_weight
        self.balance_weight = balance_weight
        self.l2_weight = l2_weight
        self.pretrain_steps = pretrain_steps
        self.augmentation = augmented_inputs.augmentation(augmentation)

    def build(self, input_shape):
        super().build(input_shape)
        augmented_inputs.build(self.augmentation, self.network, input_shape)

    # What a step does.

    def train_step(self, data):
        replicas = tf.distribute.get_replica_context().num_replicas_in_sync
        if replicas > 1 and self.pretrain_steps:  # They would choose in a `tf.cond`.
            raise ValueError(
                "Expected `pretrain_steps=0` on several replicas, which cannot choose "
                f"between steps. Received: pretrain_steps={self.pretrain_steps}, "
                f"{replicas} replicas")
        x, y, sample_weight = batches.unpack(data)
        x, side = x
        x = in_equal_shares(x, side)
        self.build_once(x)
        _, key = self.step_keys()
        step = tf.convert_to_tensor(self.optimizer.iterations)
        rows = StepRows(x, y, sample_weight, side["unlabelled"])
        playing = step >= self.pretrain_steps
        logs, outputs = tf.cond(
            playing, lambda: self._play(rows, step, key),
            lambda: self._pretrain(rows, step, key)) if self.pretrain_steps else (
                self._play(rows, step, key))
        count = tf.shape(batches.flat(x)[0])[0]
        games = {name: logs.pop(name) for name in _GAMES}
        results = self.track(logs, count)
        results.update(self.track(games, tf.cast(playing, tf.float32)))
        results.update(self.update_metrics(
            y, self.likelihood.prediction(outputs[None]), sample_weight))
        return self.reduced(results)

    def _pretrain(self, rows, step, key):
        logs, outputs = self.classifier_step(rows, None, step, key)
        return {**logs, **dict.fromkeys(_GAMES, tf.constant(0.0))}, outputs

    def _play(self, rows, step, key):
        """A step of each network: logs, and the logits of labelled rows."""
        with tf.GradientTape() as tape:
            made = self.make(_count(rows.others), key)
            decay = self.generator.losses
        # Other steps see what was made, but not how.
        fixed = made._replace(x=tf.stop_gradient(made.x))
        logs, outputs = self.classifier_step(rows, fixed, step, key)
        logs["pair_critic"] = self.discriminator_xy_step(rows, fixed, step, key)
        logs["style_critic"] = self.discriminator_xz_step(rows, fixed, key)
        logs["style_error"] = self.inference_step(rows, fixed, key)
        logs["generator_loss"] = self.generator_step(
            rows, made, decay, tape, step, key)
        return logs, outputs

    def make(self, count, key):
        """What the generator makes in a step: as many rows of each class."""
        choice = self.balanced_labels(count)
        styles = noise.uniform([count, self.latent], noise.fold_in(key, _STYLES))
        return Made(passed(self.generator, [styles, choice], noise.fold_in(
            key, _MADE)), choice, styles)

    def classifier_step(self, rows, made, step, key):
        """Moves the classifier and its average; returns logs and labelled outputs."""
        keys = [noise.fold_in(key, _CLASSES, place) for place in range(2)]
        logs, labelled, outputs = {}, _count(rows.x), []

        def loss():
            every = tf.concat([rows.x, tf.cast(rows.others, rows.x.dtype)], axis=0)
            logits = self._logits(every, keys[0])
            outputs.append(logits[:labelled])
            logs["nll"] = batches.weighed_mean(-self.likelihood.log_prob(
                rows.y, outputs[0][None])[0], rows.weight)
            logs["entropy"], imbalance = entropies(logits[labelled:])
            terms = [logs["nll"], self.entropy_weight * logs["entropy"],
                     self.balance_weight * imbalance,
                     self.l2_weight * squared_kernels(self.network)]
            if made is not None and self.generated_weight != 0.0:
                terms.append(value_at(self.generated_weight, step) * cross_entropy(
                    made.choice, self._logits(made.x, keys[1])))
            return tf.add_n([*terms, *self.network.losses])

        logs["loss"] = self.learn("optimizer", loss, rows.x)
        averaged_network.follow(
            self.average, self.network, averaged_network.share_kept(
                self.optimizer.iterations, self.average_decay))
        return logs, outputs[0]

    def _logits(self, x, key):
        """Logits of the classifier in training."""
        if self.augmentation is not None:
            x = random_layers.changed(self.augmentation, x, noise.fold_in(key, 0))
        return passed(self.network, x, noise.fold_in(key, 1))

    def discriminator_xy_step(self, rows, made, step, key):
        """Moves the discriminator of inputs and labels; returns its loss."""
        keys = [noise.fold_in(key, _PAIRS, place) for place in range(3)]
        network, labels = self.discriminator_xy, self.likelihood.labels(
            rows.y, tf.zeros([_count(rows.x), self.num_classes]))
        known = tf.one_hot(labels, self.num_classes)
        pseudo, generated = (value_at(share, step) for share in (
            self.pseudo_share, self.generated_share))
        guessed = self.pseudo_labels(rows.others) if self.pseudo_share != 0.0 else None

        def loss():
            real = as_real(passed(network, [rows.x, known], keys[0]))
            false = passed(network, [made.x, made.choice], keys[1])
            found = (1.0 - pseudo - generated) * real + (
                generated * as_real(false) + as_false(false))
            if guessed is not None:
                found += pseudo * as_real(passed(
                    network, [rows.others, guessed], keys[2]))
            return tf.add_n([found, *network.losses])

        return self.learn("discriminator_xy_optimizer", loss, rows.x)

    def discriminator_xz_step(self, rows, made, key):
        """Moves the discriminator of inputs and styles; returns its loss."""
        keys = [noise.fold_in(key, _STYLE_PAIRS, place) for place in range(3)]
        network, styles = self.discriminator_xz, passed(
            self.inference, rows.others, keys[0])

        def loss():
            real = passed(network, [rows.others, styles], keys[1])
            false = passed(network, [made.x, made.styles], keys[2])
            return tf.add_n([as_real(real), as_false(false), *network.losses])

        return self.learn("discriminator_xz_optimizer", loss, rows.x)

    def inference_step(self, rows, made, key):
        """Moves the inference network; returns the squared error of its numbers."""
        keys = [noise.fold_in(key, _INFERENCE, place) for place in range(3)]
        errors = []

        def loss():
            styles = passed(self.inference, rows.others, keys[0])
            score = passed(self.discriminator_xz, [rows.others, styles], keys[1])
            found = passed(self.inference, made.x, keys[2])
            errors.append(tf.reduce_mean(tf.square(found - made.styles)))
            return tf.add_n([as_false(score), self.style_loss(errors[0]),
                             *self.inference.losses])

        self.learn("inference_optimizer", loss, rows.x)
        return errors[0]

    def generator_step(self, rows, made, decay, tape, step, key):
        """Moves the generator; returns its loss.

        Args:
            rows: Rows of the step.
            made: What the generator made.
            decay: List of the losses of its layers.
            tape: Tape of how it made them, with the same weights.
            step: Scalar, steps before this one.
            key: Key of the step.
        """
        with tf.GradientTape() as judged:
            judged.watch(made.x)
            loss = self.generator_loss(made, step, key)
        slopes = [judged.gradient(loss, made.x), *map(tf.ones_like, decay)]
        variables, optimizer = self.generator.trainable_variables, (
            self.generator_optimizer)
        optimizer.apply(tape.gradient(
            [made.x, *decay], variables, output_gradients=[
                share_of(slope, optimizer, rows.x) for slope in slopes]), variables)
        return tf.add_n([loss, *decay])

    def generator_loss(self, made, step, key):
        """What the generator minimises."""
        keys = [noise.fold_in(key, _GENERATOR, place) for place in range(3)]
        terms = [as_real(passed(
            self.discriminator_xy, [made.x, made.choice], keys[0]))]
        if self.style_weight != 0.0:
            error = tf.reduce_mean(tf.square(
                passed(self.inference, made.x, keys[1]) - made.styles))
            score = passed(self.discriminator_xz, [made.x, made.styles], keys[2])
            terms.append(value_at(self.style_weight, step) * (
                self.style_loss(error) + as_real(score)))
        if self.label_weight != 0.0:
            terms.append(value_at(self.label_weight, step) * cross_entropy(
                made.choice, self.average_logits(made.x)))
        return tf.add_n(terms)

    def get_config(self):
        return {**super().get_config(), **{
            name: getattr(self, name) for name in (*_WEIGHTS, "pretrain_steps")},
            **{name: saved(getattr(self, name)) for name in (*_SHARES, *_RISING)},
            "augmentation": keras.saving.serialize_keras_object(self.augmentation)}

    @classmethod
    def from_config(cls, config):
        for name in (*_SHARES, *_RISING):
            config = loaded(config, name)
        return super().from_config({
            **config, "augmentation": keras.saving.deserialize_keras_object(
                config["augmentation"])})


def _share(name, value):
    return schedule_or_number(name, value, lambda share: 0 <= share <= 1,
                              "a share from 0 to 1")


def _count(rows):
    """Rows of a tensor: a number where it is known."""
    return rows.shape[0] or tf.shape(rows)[0]
