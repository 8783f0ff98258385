"""Semi-supervised VAE: a mixture of Gaussian codes, whose component is the class.

    p(x)     = mean over classes z and codes h ~ N(0, I) of p(x | decoder(z, h))
    q(z | x) = softmax(network(x)),    q(h | x, z) = N(mean_z, scale_z**2)
    loss_z   = E_q[-log p(x | decoder(z, h))] + kl_weight KL(q(h | x, z) || N(0, I))
    loss     = mean over rows of loss_y, or without a label of E_q(z | x)[loss_z]
             + mean over rows with a label of direct(y)

The class of a row without a label is drawn, and the estimator passes the gradient
through the draw. Of rows with one, the label takes the place of the better class in
direct optimisation: the gradient of `direct` in the logits is
`(onehot(z) - onehot(y)) / label_epsilon`, with `z` drawn.

The bound that `evaluate` reports (`bdlzoo.families.mixture_model`) has the KL of the
class too. It is not trained by default, because it makes the model give up the class: a
code that is large enough can say everything by itself. For the same reason a
`kl_weight` that falls to 1 from above helps: codes start small, and need the class.

Reference: Lorberbom, Gane, Jaakkola and Hazan, Direct Optimization through arg max for
Discrete Variational Auto-Encoder, NeurIPS 2019.
"""

import keras
import tensorflow as tf

from bdlzoo.core import batches, noise, registry
from bdlzoo.core.checks import check_count, check_positive
from bdlzoo.estimators import DirectOptimization
from bdlzoo.estimators.estimator import (
    hardened,
    loaded,
    perturbed,
    saved,
    schedule_or_number,
    value_at,
)
from bdlzoo.families.mixture_model import MixtureModel, class_kl, gaussian_kl


@keras.saving.register_keras_serializable(package="bdlzoo")
class SemiSupervisedVAE(MixtureModel):
    """Learns classes from few labels, and the density of inputs of each class.

    Args:
        network: Keras model from an input to the logits of K classes.
        encoder: Keras model from an input to `2 K D` numbers: means of the codes of
            all classes, then their log scales.
        decoder: Keras model from codes `[B, K D]` to as many numbers as an input has.
        likelihood: Likelihood of the labels; only `"categorical"` fits.
        input_likelihood: Density of an input given the outputs of the decoder:
            `"bernoulli_pixels"` for numbers from 0 to 1, `"gaussian_pixels"` for real
            ones; a name, a spec or a `PixelLikelihood`.
        estimator: Gradient through the drawn class of rows without a label: a name, a
            spec or an object of `bdlzoo.estimators`.
        label_epsilon: Float above 0; the gradient of a label is divided by it.
        label_steps: Integer, first steps that learn from rows with a label only.
        train_kl: Bool, whether the KL of the class is trained.
        kl_weight: Float above 0, weight of the KL of the Gaussian codes in training,
            or a schedule over steps such as `bdlzoo.ExponentialFall`. The bound that
            is reported has 1.
        num_samples: Integer, draws at prediction: of the dropout masks of the network
            for labels, of the Gaussian codes for inputs.
        num_data: Integer, size of the training set; `None` reads it in `fit`.
        seed: Integer; `None` draws one, which is saved with the model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.MLP((28, 28, 1), hidden=(400, 200), outputs=10)
        encoder = bdlzoo.networks.MLP((28, 28, 1), hidden=(400, 200), outputs=600)
        decoder = bdlzoo.networks.MLP((300,), hidden=(400,), outputs=784)
        model = bdlzoo.methods.SemiSupervisedVAE(network, encoder, decoder)
        model.compile("adam")
        model.fit(x, y, epochs=20)  # -1 in `y` marks rows without a label.
        model.predict_uncertainty(x_test).label
        new = model.generate(64, labels=7, seed=0)
    """

    side_data = ("unlabelled",)

    def __init__(self, network, encoder, decoder, likelihood="categorical",
                 input_likelihood="bernoulli_pixels", estimator="DirectOptimization",
                 label_epsilon=0.05, label_steps=0, train_kl=False, kl_weight=1.0,
                 num_samples=16, num_data=None, seed=None, **kwargs):
        super().__init__(network, encoder, decoder, likelihood, input_likelihood,
                         num_samples=num_samples, num_data=num_data, seed=seed,
                         **kwargs)
        check_positive(label_epsilon=label_epsilon)
        if label_steps:
            check_count("label_steps", label_steps)
        self.estimator = registry.build(estimator)
        self.label_epsilon = label_epsilon
        self.label_steps = label_steps
        self.train_kl = train_kl
        self.kl_weight = schedule_or_number(
            "kl_weight", kl_weight, lambda value: value > 0, "a number above 0")

    # What a step does.

    def objective(self, x, y, sample_weight, key, unlabelled=None):
        keys = noise.fold_in(key, 0), noise.fold_in(key, 1)
        other, share = 0.0, 1.0
        if unlabelled is not None:  # First: layers keep the losses of the last call.
            other, share = self._without_labels(x, unlabelled, keys[1])
        logits = self.train_draws(x, noise.fold_in(keys[0], 0))[0]  # [B, K]
        choice = tf.one_hot(self.likelihood.labels(y, logits), self.num_classes)
        wrong = DirectOptimization(self.label_epsilon).toward(
            logits[:, None], choice[:, None], noise.fold_in(keys[0], 1))
        losses = self._class_losses(x, noise.fold_in(keys[0], 2))
        own = losses(choice[None, :, None])[0] + self._class_kl(logits)
        own, wrong, nll = (batches.weighed_mean(term, sample_weight) for term in (
            own, wrong, -self.likelihood.log_prob(y, logits)))
        regularisers = [*self.network.losses, *self.encoder.losses,
                        *self.decoder.losses]
        loss = tf.add_n([other + share * own + wrong, *regularisers])
        return ({"loss": loss, "nll": nll},
                self.likelihood.prediction(logits[None]))

    def _without_labels(self, x, unlabelled, key):
        """Loss of rows without a label, and the share of the others in all rows."""
        counts = [tf.cast(tf.shape(batches.flat(part)[0])[0], tf.float32)
                  for part in (x, unlabelled)]
        total = tf.add_n(counts)

        def learn():
            return (tf.reduce_sum(self._drawn_loss(unlabelled, key)) / total,
                    counts[0] / total)

        if not self.label_steps:
            return learn()
        return tf.cond(self.optimizer.iterations < self.label_steps,
                       lambda: (0.0, 1.0), learn)

    def _drawn_loss(self, x, key):
        """The loss of a drawn class `[B]`; its gradient is that of the mean loss."""
        potentials = self.train_draws(x, noise.fold_in(key, 0))[0][:, None]  # [B, 1, K]
        losses = self._class_losses(x, noise.fold_in(key, 2))
        draw_key, step = noise.fold_in(key, 1), self.optimizer.iterations
        if self.estimator.through_codes:
            found = self.estimator(potentials, losses, draw_key, step)
        else:
            # Classes are compared without a gradient: only the drawn one learns.
            found = self.estimator(potentials, lambda choice: tf.stop_gradient(
                losses(choice)), draw_key, step)
            drawn = hardened(tf.stop_gradient(perturbed(potentials, draw_key, 1)))
            [loss] = tf.unstack(losses(drawn), 1)
            found += loss - tf.stop_gradient(loss)
        return found + self._class_kl(potentials[:, 0])

    def _class_losses(self, x, key):
        """Function from classes `[S, B, 1, K]` to the losses of rows, `[S, B]`."""
        with noise.draws(noise.fold_in(key, 1)):
            mean, scale = self.codes_of(x, training=True)
        # One noise for all classes: what differs between them is the class.
        unit = noise.normal([tf.shape(mean)[0], 1, self.latent], noise.fold_in(key, 0))
        codes = mean + scale * unit
        kl = value_at(self.kl_weight, self.optimizer.iterations) * (
            gaussian_kl(mean, scale))

        def losses(choice):
            choice = choice[:, :, 0]
            with noise.draws(noise.fold_in(key, 2)):
                outputs = self.outputs(choice, codes, training=True)
            return tf.reduce_sum(choice * kl, axis=-1) - (
                self.input_likelihood.log_prob(x, outputs))

        return losses

    def _class_kl(self, logits):
        return class_kl(logits) if self.train_kl else 0.0

    def get_config(self):
        return {**super().get_config(),
                "estimator": keras.saving.serialize_keras_object(self.estimator),
                "label_epsilon": self.label_epsilon, "label_steps": self.label_steps,
                "train_kl": self.train_kl, "kl_weight": saved(self.kl_weight)}

    @classmethod
    def from_config(cls, config):
        estimator = keras.saving.deserialize_keras_object(config["estimator"])
        return super().from_config(
            {**loaded(config, "kl_weight"), "estimator": estimator})
