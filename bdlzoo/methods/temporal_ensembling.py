"""Temporal ensembling: a row must agree with its predictions in earlier epochs.

    loss   = nll + w(t) * mean over rows and classes of (p - target)**2
    target = Z / (1 - decay**count),    Z <- decay * Z + (1 - decay) * p

Z and count belong to a row: the target moves where the row is seen, after it was used,
and has no gradient. A row without labels is seen once an epoch, as in the paper; a
labelled row is seen more often where there are few of them. A row has no target before
it was seen once. The table of targets is saved with checkpoints and files, and is not
exported. See `bdlzoo.families.row_targets`, and `bdlzoo.families.consistency_model` for
the ramp w(t) and the noise.

Reference: Laine and Aila, Temporal Ensembling for Semi-Supervised Learning, ICLR 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.core import batches
from bdlzoo.families.consistency_model import ConsistencyModel
from bdlzoo.families.row_targets import RowTargets


@keras.saving.register_keras_serializable(package="bdlzoo")
class TemporalEnsembling(ConsistencyModel):
    """Trains a network to agree with its own past on rows without labels.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Likelihood of classes: `"categorical"`, `"bernoulli"`, a dictionary
            with such a name under `type`, or an object of `bdlzoo.likelihoods`.
        consistency_weight: Float, at least 0, weight of the agreement after the ramp.
            0 is supervised training.
        ramp_steps: Integer, steps in which the weight rises. Too few can make all
            predictions the same.
        decay: Float, at least 0 and below 1, share of the past in a new target.
        augmentation: Keras layer or model that changes inputs at random, such as
            `keras.layers.RandomTranslation`, a name or a dictionary with the name under
            `type` and options beside it, or a list of them; `None` for none.
        input_noise: Float, standard deviation of Gaussian noise on the inputs.
        labelled_batch: Integer, labelled rows of a batch; `None` for `batch_size`, as
            many as rows without labels.
        predictor: `"network"` predicts by the network without noise, `"draws"` by the
            mean over its dropout masks.
        num_samples: Integer, draws at prediction; all are the same for `"network"`.
        num_train_samples: Integer. It has no effect: a step makes one pass.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of labelled rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.TemporalEnsembling(network, input_noise=0.3)
        model.compile(optimizer="adam")
        model.fit(x, y, unlabelled=x_more, epochs=10)
    """

    def __init__(self, network, likelihood="categorical", consistency_weight=20.0,
                 ramp_steps=1000, decay=0.6, augmentation=None, input_noise=0.0,
                 labelled_batch=None, predictor="network", num_samples=32,
                 num_train_samples=1, prior_scale=None, kl_weight=1.0, num_data=None,
                 seed=None, **kwargs):
        super().__init__(
            network, likelihood, consistency_weight=consistency_weight,
            ramp_steps=ramp_steps, augmentation=augmentation, input_noise=input_noise,
            labelled_batch=labelled_batch, predictor=predictor,
            num_samples=num_samples, num_train_samples=num_train_samples,
            prior_scale=prior_scale, kl_weight=kl_weight, num_data=num_data, seed=seed,
            **kwargs)
        if not 0 <= decay < 1:
            raise ValueError("Expected a number of at least 0 and below 1. Received: "
                             f"decay={decay}")
        self.decay = decay
        self.row_targets = RowTargets(decay)

    @property
    def numbers_rows(self):
        return self.consistency_weight > 0

    def gaps(self, probabilities, x, key, rows):
        del x, key
        now = probabilities[0]  # [B, C]
        targets, known = self.row_targets.read(rows)
        self.row_targets.add(rows, tf.stop_gradient(now))
        gaps = tf.reduce_mean(tf.square(now - targets), axis=-1)
        return tf.where(known, gaps, 0.0)

    def check_sets(self, data):
        super().check_sets(data)
        if not self.numbers_rows:
            return
        if not data.is_whole:
            raise ValueError(
                "Expected arrays, whose rows have numbers: each row has a target of "
                "its own, and a batch of a dataset does not say which rows it holds. "
                "Received: a dataset without numbers of rows, of type "
                f"{type(data.x).__name__}")
        total, table = _num_rows(data), self.row_targets
        if table.built and table.averages.shape[0] != total:
            raise ValueError(
                f"Expected the rows of the first `fit`, {table.averages.shape[0]} with "
                "and without labels, since each has a target: make a new model for "
                f"other data. Received: {total} rows")

    def _begin(self, data, *args):
        super()._begin(data, *args)
        if self.numbers_rows and not self.row_targets.built:
            classes = self.probabilities(tf.zeros([1, 1, *self._output_dims[1:]]))
            with self.distribute_strategy.scope():
                self.row_targets.build((_num_rows(data), classes.shape[-1]))

    def get_config(self):
        return {**super().get_config(), "decay": self.decay}


def _num_rows(data):
    """Rows of all sets of `TrainingData`."""
    return sum(batches.num_rows(x) for x in (data.x, *data.side.values()))
