"""ConfidNet: a head that learns how far a classifier can be trusted.

    tcp  = p(y | x)                            of the network, which is frozen
    c    = sigmoid(head(encoder(x)))           the learnt confidence
    loss = mean of w (c - tcp)**2,             w = error_weight where wrong, else 1

or, with `loss="cross_entropy"`, `-w (tcp log c + (1 - tcp) log(1 - c))`: the best
`c` is the same, but a wrong `c` near 0 or 1 keeps its gradient, so that far fewer
epochs are needed.

The largest class probability is high on errors too. The probability of the true class
is low on errors, but computing it needs the label. The head learns to predict it from
the features that the last layer reads, in three phases:

1. `fit`: the classifier as usual; head and clone are frozen. Skip this phase for a
   network that was trained elsewhere.
2. `fit_confidence`, `epochs`: the head alone. Dropout of the classifier is on, in
   features and targets alike, one mask for both, so that there are errors to
   learn from; BatchNorm keeps its statistics.
3. `fit_confidence`, `tune_epochs`: head and a clone of the encoder, dropout off.

The network predicts, and does not change after phase 1: its predictions stay the
same to the last bit. The confidence is always computed by the clone.

Reference: Corbiere et al., Addressing Failure Prediction by Learning Model
Confidence, NeurIPS 2019.
"""

import contextlib
import functools

import keras
import numpy as np
import tensorflow as tf
from absl import logging

from bdlzoo.core import noise
from bdlzoo.families import point_estimate
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.likelihoods.likelihood import ClassLikelihood
from bdlzoo.metrics.ranking import ap_errors
from bdlzoo.model.stochastic_model import StochasticModel
from bdlzoo.networks import blocks
from bdlzoo.surgery import input_form, memory, replacement
from bdlzoo.surgery.encoder import Encoder

_TRUST = keras.initializers.Constant(4.0)  # A confidence of 0.98.
_LOSSES = {  # Functions of the probability of the true class and of logits.
    "squared": lambda truth, logits: tf.square(tf.sigmoid(logits) - truth),
    "cross_entropy": tf.nn.sigmoid_cross_entropy_with_logits}


@keras.saving.register_keras_serializable(package="bdlzoo")
class ConfidNet(PriorModel):
    """Trains a classifier, and then a head that predicts its errors.

    Args:
        network: Functional or Sequential Keras model that classifies.
        likelihood: Likelihood of classes: `"categorical"`, `"bernoulli"`, a dictionary
            with such a name under `type` and options beside it, or an object of
            `bdlzoo.likelihoods`.
        hidden: Tuple of integers, sizes of the hidden layers of the head.
        loss: Loss of the head: `"squared"` as in the paper, or `"cross_entropy"`.
        error_weight: Float, weight of misclassified rows in the loss of the head.
        num_samples: Integer, draws at prediction. All draws are the same, so one is
            enough.
        num_train_samples: Integer, passes through the network in a training step; more
            than one is of use with dropout only.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.ConfidNet(network)
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
        model.fit_confidence(x, y, validation_data=held_out)
        trust = model.confidence(x_test)
    """

    draws_differ = False

    def __init__(self, network, likelihood="categorical", hidden=(400, 400, 400, 400),
                 loss="squared", error_weight=1.0, num_samples=1, num_train_samples=1,
                 kl_weight=1.0, prior_scale=None, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            prior_scale=prior_scale, num_data=num_data, seed=seed, **kwargs)
        if not isinstance(self.likelihood, ClassLikelihood):
            raise ValueError("Expected a likelihood of classes: only a class can be "
                             "wrong. Received: "
                             f"likelihood={self.likelihood.name}")
        if getattr(self.likelihood, "ignore_class", None) is not None:
            raise ValueError("Expected a label for every row: drop rows without one. "
                             f"Received: ignore_class={self.likelihood.ignore_class}")
        if not error_weight > 0:
            raise ValueError("Expected a weight above 0. Received: "
                             f"error_weight={error_weight}")
        if loss not in _LOSSES:
            raise ValueError(f"Expected one of {tuple(_LOSSES)}. Received: "
                             f"loss={loss!r}")
        self.hidden = blocks.check_sizes("hidden", hidden, least=0)
        self.confidence_loss = loss
        self.error_weight = error_weight
        # A weight, so that it is saved in files.
        self.confidence_fitted = self.add_weight(
            name="confidence_fitted", initializer="zeros", trainable=False,
            autocast=False)

    def build(self, input_shape):
        super().build(input_shape)
        self.refuse_positions(self.output_shape_of(input_shape), "the head learns one "
                              "confidence for each row")
        with tf.init_scope():  # Weights are copied, and a row is run.
            self.clone = replacement.copy(self.network)
            self._encoder, self._cloned = map(Encoder, (self.network, self.clone))
            row = input_form.blank_rows(self.network, input_shape)
            shape = self._encoder(row).shape
            if len(shape) != 2:
                raise ValueError(
                    "Expected a last layer that reads features of shape [B, F]: "
                    "flatten or pool before it. Received: features of shape "
                    f"{tuple(shape)}")
            # Confidence starts high: from 1/2 the first steps push all units in one
            # direction, and many stay off for ever.
            self.head = keras.Sequential(
                [keras.layers.Dense(size, "relu", kernel_initializer="he_normal")
                 for size in self.hidden]
                + [keras.layers.Dense(1, bias_initializer=_TRUST)], name="head")
            self.head.build((None, shape[-1]))
        self.head.trainable = self.clone.trainable = False
        self._confidence = tf.function(self._from_clone, reduce_retracing=True)

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # There is nothing to draw.
        return point_estimate.draw_parts(self.network, inputs)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto",
            callbacks=None, **kwargs):
        """Trains the classifier, phase 1; a confidence that was learnt is dropped.

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
        # The confidence of one classifier does not hold for the next one.
        self.confidence_fitted.assign(0.0)
        return super().fit(x, y, batch_size, epochs, verbose, callbacks, **kwargs)

    def fit_confidence(self, x, y, validation_data=None, epochs=100, tune_epochs=10,
                       learning_rate=1e-4, tune_learning_rate=1e-6, batch_size=128,
                       verbose="auto"):
        """Trains the confidence: phases 2 and 3. The predictions do not change.

        Each phase is a separate model, with the head, and then head and clone, as
        its weights: it uses the training loop of the zoo, its progress bar and
        seeds, and its own optimiser. A second call goes on with the same head and
        a new clone.

        Args:
            x: Inputs, as arrays. Use those of phase 1 if dropout makes errors on
                them; otherwise held-out ones are better.
            y: Integer classes.
            validation_data: Pair `(x, y)` that chooses the epoch to keep: the one
                that ranks errors best (`ap_errors`), or with the lowest loss if
                there is no error. The state before tuning is a candidate too.
                `None` keeps the last epoch.
            epochs: Integer, epochs of phase 2.
            tune_epochs: Integer, epochs of phase 3; 0 leaves it out.
            learning_rate: Float, learning rate of Adam in phase 2.
            tune_learning_rate: Float, learning rate of Adam in phase 3.
            batch_size: Integer, rows in a step.
            verbose: Progress bar as in `keras.Model.fit`: `"auto"`, 0, 1 or 2.

        Returns:
            Dictionary of lists with a number for each epoch of both phases: `loss`,
            `errors` (share of rows that were misclassified in training), and
            `val_ap_errors` or `val_loss`.
        """
        x, y = tf.nest.map_structure(np.asarray, (x, y))
        self.build_once(x)
        self.check_data(x, y)
        judge = self._judge(validation_data)
        self.confidence_fitted.assign(0.0)
        self.clone.set_weights(self.network.get_weights())
        fit = functools.partial(self._fit_phase, judge, x=x, y=y,
                                batch_size=batch_size, verbose=verbose)
        first = fit([self.head], True, learning_rate, epochs=epochs)
        if not any(first.get("errors", [1])):
            logging.warning(
                "No row was misclassified in training: the head has seen no error. "
                "Train it on held-out rows, or use more dropout.")
        second = fit([self.head, self.clone], False, tune_learning_rate,
                     epochs=tune_epochs)
        self.confidence_fitted.assign(1.0)
        return {name: [*first.get(name, []), *second.get(name, [])]
                for name in {**first, **second}}

    def after_fit(self, train, validation=None, **options):
        """Trains the confidence, in a run.

        Args:
            train: `Split` that the classifier was trained on.
            validation: Held-out `Split`, by which the best epoch is kept, or `None`.
            **options: Arguments of `fit_confidence`, such as `epochs`.
        """
        self.fit_confidence(*train, validation_data=validation, **options)

    def confidence(self, x):
        """Learnt confidence of each input, an array `[N]` of floats in (0, 1).

        Args:
            x: Inputs, as arrays or tensors.
        """
        if not self.built or not self.confidence_fitted.numpy():
            raise ValueError(
                "Expected a learnt confidence: call `fit_confidence(x, y)` after "
                "`fit`. Received: none, or one of an earlier classifier")
        x = tf.nest.map_structure(tf.convert_to_tensor, x)
        self.check_inputs(x)
        return self._confidence_of(x)

    def measures(self, inputs, num_samples=None, key=None):
        """Adds `learnt_confidence` after `fit_confidence`."""
        answer = super().measures(inputs, num_samples, key)
        with tf.init_scope():
            fitted = bool(self.confidence_fitted.numpy())
        if fitted:
            answer["learnt_confidence"] = tf.sigmoid(self._from_clone(inputs))
        return answer

    def _fit_phase(self, judge, parts, noisy, learning_rate, epochs, **kwargs):
        """Trains parts of the confidence and keeps the best epoch.

        Returns:
            Dictionary, the history of the phase.
        """
        if not epochs:
            return {}
        best = [-np.inf, [part.get_weights() for part in parts]]

        def keep(epoch, logs):
            if judge is not None:
                name, score = judge()
                logs[name] = abs(score)
                if score > best[0]:
                    best[:] = score, [part.get_weights() for part in parts]

        try:
            for part in parts:
                part.trainable = True
            self._cloned.last_layer.trainable = False  # Its outputs are not used.
            with self.distribute_strategy.scope():
                # Another seed: with that of `fit` the head would see the same rows
                # and masks that the classifier was just trained on.
                phase = _Phase(parts, functools.partial(self._match, noisy=noisy),
                               seed=(self.seed, len(parts)))
                phase.compile(keras.optimizers.Adam(learning_rate))
            if not noisy:
                keep(0, {})
            history = phase.fit(epochs=epochs, callbacks=[
                keras.callbacks.LambdaCallback(on_epoch_end=keep)], **kwargs)
        finally:
            self.head.trainable = self.clone.trainable = False
        if judge is not None:
            for part, weights in zip(parts, best[1], strict=True):
                part.set_weights(weights)
        return history.history

    def _judge(self, held_out):
        """A function that names and scores the confidence; higher is better."""
        if held_out is None:
            return None
        x, y = tf.nest.map_structure(np.asarray, tuple(held_out))
        self.check_data(x, y)
        truth, wrong = map(np.asarray, self._truth(self.sample_outputs(x, 1)[0], y))
        if wrong.any() and not wrong.all():
            return lambda: ("val_ap_errors",
                            ap_errors(wrong, self._confidence_of(x)))
        logging.warning(
            "Of %d validation rows %d are misclassified, so that a ranking of errors "
            "has no score: the epoch with the lowest validation loss is kept.",
            len(wrong), wrong.sum())
        return lambda: ("val_loss", -float(self._loss(
            self._logits_of(x), truth, wrong)))

    def _match(self, x, y, sample_weight, key, noisy):
        """Logs of one step of a phase; and `None`, since there are no metrics."""
        del sample_weight
        with noise.draws(key) if noisy else contextlib.nullcontext():
            features, outputs = map(tf.stop_gradient, self._encoder.both(x))
        if not noisy:
            features = self._cloned(x)
        truth, wrong = self._truth(tf.cast(outputs, tf.float32), y)
        return {"loss": self._loss(self._head_logits(features), truth, wrong),
                "errors": tf.reduce_mean(tf.cast(wrong, tf.float32))}, None

    def _truth(self, outputs, y):
        """Probability of the true class, and whether another is predicted."""
        prediction = self.likelihood.prediction(outputs[None])
        labels = self.likelihood.labels(y, outputs[None])
        return (tf.exp(prediction.log_prob(labels)),
                tf.not_equal(prediction.label, labels))  # [B], [B]

    def _loss(self, logits, truth, wrong):
        weights = tf.where(wrong, self.error_weight, 1.0)
        return tf.reduce_mean(weights * _LOSSES[self.confidence_loss](truth, logits))

    def _head_logits(self, features):
        # Without the last axis, of size 1: with targets [B] it would broadcast to
        # [B, B].
        return tf.cast(self.head(features)[:, 0], tf.float32)

    def _from_clone(self, inputs):
        return self._head_logits(self._cloned(inputs))

    def _confidence_of(self, x):
        # In float64 fewer values are rounded to 1; equal values cannot be ranked.
        return tf.sigmoid(tf.cast(self._logits_of(x), tf.float64)).numpy()

    def _logits_of(self, x):
        step = memory.rows_at_once(self._row_bytes, self._weight_bytes)
        rows = len(tf.nest.flatten(x)[0])
        return tf.concat([self._confidence(
            tf.nest.map_structure(lambda t: t[start:start + step], x))
            for start in range(0, rows, step)], 0)

    def get_config(self):
        return {**super().get_config(), "hidden": self.hidden,
                "loss": self.confidence_loss,
                "error_weight": self.error_weight}


class _Phase(StochasticModel):
    """Trains parts of a model by an objective from outside.

    The objective is a bound method: Keras neither tracks nor saves its object.
    """

    log_names = ("loss", "errors")

    def __init__(self, parts, objective, **kwargs):
        super().__init__(**kwargs)
        self.parts = parts
        self.objective = objective

    def build(self, input_shape):
        """Does nothing: the parts are built."""
