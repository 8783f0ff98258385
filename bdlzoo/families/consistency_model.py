"""Base class of models that learn from rows without labels, by agreement.

    loss = nll + w(t) * mean over all rows of mean over classes (p - target)**2
    p    = probabilities of a pass with noise: augmentation, input noise, dropout
    w(t) = consistency_weight * exp(-5 (1 - t / ramp_steps)**2),    at most its peak

The target is what a method chooses: another pass, the past of the row, or another
network. Labelled rows count in both terms. `nll` is the mean over the labelled rows of
a batch, so that a weight of 0 is supervised training to the bit; it needs no rows
without labels, and is the baseline of the family. The released codes divide `nll` by
all rows of a batch, labelled or not: their weight is ours times `labelled / all rows`.

All noise is that of the zoo: augmentation by layers of Keras too, see
`bdlzoo.surgery.random_layers`.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.checks import check_count
from bdlzoo.families import augmented_inputs, point_estimate
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.likelihoods import ClassLikelihood
from bdlzoo.model.objective import seen
from bdlzoo.schedules import RampUp
from bdlzoo.surgery import random_layers

_AUGMENTATION, _INPUT_NOISE = range(2)  # What a key is for.


class ConsistencyModel(PriorModel):
    """Trains on labelled rows, and on the agreement of all rows with targets.

    A subclass writes `gaps`.

    Args:
        network: Keras model that classifies.
        likelihood: Name, spec or `Likelihood` of classes.
        consistency_weight: Float, at least 0, weight of the agreement after the ramp.
        ramp_steps: Integer, steps in which the weight rises.
        augmentation: Keras layer or model that changes inputs at random, a name or
            spec of one, or a list of them; `None` for none.
        input_noise: Float, standard deviation of Gaussian noise on the inputs.
        labelled_batch: Integer, labelled rows of a batch; `None` for `batch_size`.
        predictor: One of `predictors`: `"draws"` averages dropout masks of the
            network at prediction, any other takes one network without noise.
        **kwargs: Arguments of `PriorModel`: `prior_scale`, `num_samples`,
            `num_train_samples`, `kl_weight`, `num_data`, `seed`.
    """

    log_names = ("loss", "nll", "kl", "consistency")
    side_data = ("unlabelled",)
    predictors = ("network", "draws")
    num_passes = 1  # Passes of all rows through the network in a step.

    def __init__(self, network, likelihood="categorical", *, consistency_weight,
                 ramp_steps, augmentation=None, input_noise=0.0, labelled_batch=None,
                 predictor="network", **kwargs):
        super().__init__(network, likelihood, **kwargs)
        _check_arguments(consistency_weight, input_noise, labelled_batch)
        if predictor not in self.predictors:
            raise ValueError(f"Expected one of {', '.join(self.predictors)}. Received: "
                             f"predictor={predictor!r}")
        if not isinstance(self.likelihood, ClassLikelihood):
            raise ValueError("Expected a likelihood of classes, whose probabilities "
                             "can agree: `categorical` or `bernoulli`. Received: "
                             f"likelihood={type(self.likelihood).__name__}")
        self.consistency_weight = consistency_weight
        self.ramp_steps = ramp_steps
        self.ramp = RampUp(consistency_weight, ramp_steps)
        self.augmentation = augmented_inputs.augmentation(augmentation)
        self.input_noise = input_noise
        self.labelled_batch = labelled_batch
        self.predictor = predictor

    # What a method may override.

    def gaps(self, probabilities, x, key, rows):
        """Distance of each row from its target, `[B]`.

        Args:
            probabilities: Tensor `[num_passes, B, C]`.
            x: Inputs of all rows, labelled ones first, without noise.
            key: Key of the noise of this replica.
            rows: Numbers of the rows in the data `[B]`; `None` where the class does
                not have `numbers_rows`.
        """
        raise NotImplementedError

    @property
    def point_network(self):
        """The network that predicts where no draws are made."""
        return self.network

    @property
    def draws_differ(self):
        return self.predictor == "draws"

    def build(self, input_shape):
        super().build(input_shape)
        self.refuse_positions(self.output_shape_of(input_shape),
                              "agreement is that of rows")
        random_layers.adopt(self.network)
        augmented_inputs.build(self.augmentation, self.network, input_shape)

    def objective(self, x, y, sample_weight, key, unlabelled=None, rows=None,
                  unlabelled_rows=None):
        if not self.consistency_weight:  # Nothing of the other rows counts.
            return super().objective(self.perturbed(x, key), y, sample_weight, key)
        labelled = tf.shape(tf.nest.flatten(x)[0])[0]
        every, numbers = x, rows
        if unlabelled is not None:
            every = tf.nest.map_structure(_joined, x, unlabelled)
            numbers = None if rows is None else _joined(rows, unlabelled_rows)
        outputs = self.passes(every, key, self.num_passes)  # [P, B, C]
        first = outputs[:1, :labelled]
        nll = self.data_loss(self.likelihood.log_prob(y, first))
        counted = self.positions(nll, y, first, sample_weight)
        logs = self.with_prior(nll, x, counted, key)
        logs["consistency"] = tf.reduce_mean(
            self.gaps(self.probabilities(outputs), every, key, numbers))
        logs["loss"] += self.ramp(self.optimizer.iterations) * logs["consistency"]
        return logs, seen(self.likelihood.prediction(first), counted)

    def passes(self, x, key, count=1):
        """Outputs `[count, B, C]` of passes with noise of their own, in one batch."""
        tall = tf.nest.map_structure(lambda t: tf.concat([t] * count, axis=0), x)
        with noise.draws(key, count=count):
            outputs = self.network(self.perturbed(tall, key), training=True)
        return tf.stack(tf.split(tf.cast(outputs, tf.float32), count))

    def probabilities(self, outputs):
        """Probabilities of classes `[..., B, C]` of outputs `[..., B, C]`."""
        return tf.exp(self.likelihood.prediction(outputs).draws.log_probs)

    def perturbed(self, x, key):
        """Inputs after augmentation and noise, which are those of the key."""
        if self.augmentation is not None:
            x = random_layers.changed(
                self.augmentation, x, noise.fold_in(key, _AUGMENTATION))
        if not self.input_noise:
            return x
        parts = tf.nest.flatten(x)
        noisy = [_with_noise(part, self.input_noise,
                             noise.fold_in(key, _INPUT_NOISE, place))
                 for place, part in enumerate(parts)]
        return tf.nest.pack_sequence_as(x, noisy)

    # Prediction, export and data.

    def draw_parts(self, inputs, num_samples, key):
        if self.predictor == "draws":
            return super().draw_parts(inputs, num_samples, key)
        return point_estimate.draw_parts(self.point_network, inputs)

    def served_parts(self):
        network = self.network if self.predictor == "draws" else self.point_network
        return [network, self.likelihood, self.calibration]

    def check_sets(self, data):
        super().check_sets(data)
        if self.consistency_weight and "unlabelled" not in data.side:
            raise ValueError(
                "Expected rows without labels: give them as `unlabelled`, or mark them "
                "by -1 in `y`. To agree on labelled rows alone, give the same inputs "
                "as `unlabelled`; to train without agreement, use "
                "`consistency_weight=0`. Received: unlabelled=None")

    def rows_of_batch(self, name, batch_size):
        return self.labelled_batch or batch_size if name is None else batch_size

    def get_config(self):
        return {**super().get_config(),
                "consistency_weight": self.consistency_weight,
                "ramp_steps": self.ramp_steps,
                "augmentation": keras.saving.serialize_keras_object(self.augmentation),
                "input_noise": self.input_noise,
                "labelled_batch": self.labelled_batch, "predictor": self.predictor}

    @classmethod
    def from_config(cls, config):
        augmentation = keras.saving.deserialize_keras_object(config["augmentation"])
        return super().from_config({**config, "augmentation": augmentation})


def _check_arguments(consistency_weight, input_noise, labelled_batch):
    for name, value in (("consistency_weight", consistency_weight),
                        ("input_noise", input_noise)):
        if not value >= 0:
            raise ValueError("Expected a number that is not negative. Received: "
                             f"{name}={value}")
    if labelled_batch is not None:
        check_count("labelled_batch", labelled_batch)


def _joined(first, second):
    return tf.concat([first, tf.cast(second, first.dtype)], axis=0)


def _with_noise(part, scale, key):
    if not part.dtype.is_floating:
        return part
    return part + tf.cast(scale * noise.normal(tf.shape(part), key), part.dtype)
