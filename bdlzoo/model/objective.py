"""Loss and scores of models that predict labels.

    loss = nll + kl_weight * KL / (num_data * per_row)
    nll  = mean over positions that count of -log p(y | outputs)

Outputs are `[B, ..., C]`, and every position that counts is a data point; `per_row` is
the number of them in a row. So the loss is the evidence bound in nats per position. For
outputs `[B, C]` a row is one data point.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, keras_internals, noise
from bdlzoo.core.positions import Positions, cleaned
from bdlzoo.likelihoods import Bernoulli, ClassLikelihood
from bdlzoo.model import model_metrics, streaming
from bdlzoo.surgery import output_mask

_FEW = 8  # Rows that tell whether outputs are probabilities.


def seen(prediction, counted):
    """A prediction that knows which positions count, for the metrics of a step."""
    prediction.counted = counted
    return prediction


class LabelObjective:
    """Part of `PredictiveModel`: the loss, the scores, and what counts in them."""

    _per_row = 1.0  # Counted positions in a row; set where a step is traced.
    _has_mask = False
    _target_rank = None  # Of the targets that were checked last.

    # What a method may override.

    def objective(self, x, y, sample_weight, key):
        mask = self.output_mask(x)  # First: layers keep the losses of the last call.
        draws = self.train_draws(x, key)
        with noise.draws(key):  # Some likelihoods draw noise too.
            nll = self.data_loss(self.likelihood.log_prob(y, draws))  # [B, ...]
        counted = self.positions(nll, y, draws, sample_weight, mask)
        return (self.with_prior(nll, x, counted, key),
                seen(self.likelihood.prediction(draws), counted))

    def with_prior(self, nll, x, sample_weight, key):
        """Logs of a step: the mean of `nll`, the KL, regularisers and loss.

        Args:
            nll: Tensor `[B, ...]`, a number for each position.
            x: Inputs.
            sample_weight: `Positions` of the batch, weights of rows, or `None`.
            key: Key of the noise.
        """
        counted = self.positions_like(nll, sample_weight)
        nll = counted.mean(nll)
        logs, loss = {"nll": nll}, nll
        with noise.draws(key):  # Some priors have only a sampled KL.
            kl = self.kl()
        if kl is not None:
            kl /= float(self.row_group)  # The mean over models side by side.
            weight = self.kl_weight * self.kl_share(x) / self.data_points
            logs["kl"], loss = kl, loss + weight * kl
        # Regularisers of the layers of the network.
        loss = tf.add_n([loss, *(tf.cast(term, tf.float32)
                                 for term in self.network.losses)])
        return {"loss": loss, **logs}

    def data_loss(self, log_probs):
        """Negative log likelihood `[B, ...]` of a step: the mean over draws."""
        return -tf.reduce_mean(log_probs, axis=0)

    def kl(self):
        """KL divergence of the posterior from the prior, in nats.

        By default the sum over layers, or `None` if no layer has one.
        """
        terms = [layer.kl() for layer in keras_internals.layers(self.network)
                 if hasattr(layer, "kl")]
        return tf.add_n(terms) if terms else None

    def kl_share(self, x):
        """Factor of the KL in this step, besides `kl_weight`, such as a schedule."""
        del x
        return 1.0

    def test_logs(self, y, draws, counted):
        """Further results of `evaluate`: a number for each row or position, by name.

        Args:
            y: Targets.
            draws: Outputs `[S, B, ...]`. Draws may come one by one, so that the
                results must be means over draws.
            counted: `Positions` of the batch.
        """
        del y, draws, counted
        return {}

    # What a method may use.

    @property
    def data_points(self):
        """Data points of the training set: rows times counted positions in a row.

        It is that of the batch of a step, and that of the last one elsewhere.
        """
        if tf.is_symbolic_tensor(self._per_row) and tf.executing_eagerly():
            return self.num_data  # A tensor of a graph has no value here.
        return self.num_data * self._per_row

    def output_mask(self, x):
        """Keras' mask of the outputs for a batch of inputs, `None` without one."""
        return output_mask.of(self.blueprint, x) if self._has_mask else None

    def mask_of_rows(self, x):
        """The same for arrays of any number of rows, outside of a step."""
        if not self._has_mask:
            return None
        # In a graph, where the layers after the mask are left out.
        return tf.function(self.output_mask)(
            tf.nest.map_structure(tf.convert_to_tensor, x))

    def positions(self, values, y, outputs, sample_weight=None, mask=None):
        """Counts and weights of a batch.

        Args:
            values: Tensor `[B, ...]` with a number for each position.
            y: Targets.
            outputs: Outputs `[S, B, ..., C]`; only their shape is read.
            sample_weight: Weights of rows or positions, `None`, or the result of this.
            mask: Mask of the outputs, or `None`.
        """
        if isinstance(sample_weight, Positions):
            return sample_weight
        return Positions(values, sample_weight,
                         [self.likelihood.counts(y, outputs), mask])

    def positions_like(self, values, sample_weight):
        """The same for targets that all count; `data_points` is that of the result.

        Args:
            values: Tensor `[B, ...]` with a number for each position.
            sample_weight: As in `positions`.
        """
        counted = sample_weight if isinstance(sample_weight, Positions) else (
            Positions(values, sample_weight))
        self._per_row = counted.per_row
        return counted

    def refuse_positions(self, shape, reason):
        """Raises for a method that needs one target a row.

        Args:
            shape: Shape of the outputs, batch first.
            reason: Why, as the end of a sentence.
        """
        several = isinstance(self.likelihood, Bernoulli) and shape[-1] > 1
        if len(shape) != 2 or several:
            axes = ", ".join(map(str, range(1, len(shape) - 1))) or "-1"
            raise ValueError(
                f"Expected outputs [B, C] with one target a row: {reason}. Pool or "
                "flatten the positions, or use another method. Received: "
                f"output_shape={tuple(shape)}, with positions on axis {axes}")

    def refuse_outputs(self, x):
        """Raises if outputs for some rows look like probabilities, not like logits.

        Args:
            x: Arrays of inputs.
        """
        if not isinstance(self.likelihood, ClassLikelihood) or (
                not self.likelihood.from_logits):
            return
        rows = tf.nest.map_structure(
            lambda part: tf.convert_to_tensor(part[:_FEW]), x)
        outputs = np.asarray(self.blueprint(rows, training=False), "float64")
        if outputs.shape[-1] > 1 and (outputs >= 0).all() and (
                np.abs(outputs.sum(axis=-1) - 1.0) < 1e-4).all():
            raise ValueError(
                "Expected a network whose outputs are logits. Remove the last "
                "activation, or give the likelihood `from_logits=False`. Received: "
                f"network {self.blueprint.name}, whose outputs are from 0 to 1 and add "
                "up to 1 on the last axis")

    # The machinery.

    def _begin(self, data, *args):
        super()._begin(data, *args)
        if data.sample is not None:
            self.refuse_outputs(data.sample[0])

    def update_metrics(self, y, prediction, sample_weight):
        return model_metrics.update(
            self._metrics_of.train, y, prediction,
            getattr(prediction, "counted", sample_weight))

    def test_step(self, data):
        x, y, sample_weight = batches.unpack(data)
        self.check_targets(y)
        self.build_once(x)
        mask = self.output_mask(x)

        def test_logs(draws):
            values = self.likelihood.log_prob(y, draws[:1])[0]
            return self.test_logs(y, draws, self.positions(
                values, y, draws, sample_weight, mask))

        prediction, further = streaming.answer(
            self, x, self.num_samples, self._predict_key(), test_logs)
        outputs = tf.convert_to_tensor(prediction.mean)[None]  # For its shape.
        counts = self.likelihood.counts(y, outputs)
        nll = -prediction.log_prob(cleaned(y, counts))  # [B, ...]
        counted = self.positions(nll, y, outputs, sample_weight, mask)
        logs = {"loss": nll, "nll": nll, **further}
        results = {}
        for name, values in logs.items():
            results.update(self.track({name: values}, counted.weights_of(values)))
        results.update(model_metrics.update(
            self._metrics_of.test, y, prediction, counted))
        return self.reduced(results)
