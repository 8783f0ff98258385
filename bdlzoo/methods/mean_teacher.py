"""Mean teacher: a network must agree with the average of its past weights.

    loss     = nll + w(t) * mean over rows and classes of (p - q)**2
    q        = probabilities of the teacher, with noise of its own and no gradient
    teacher <- d * teacher + (1 - d) * student              after every step
    d        = min(1 - 1 / t, ramp_decay in the ramp and decay afterwards)

The teacher starts as the plain mean of the weights after steps 1, ..., t, so that the
initial weights do not count. The teacher predicts. The statistics of its
`BatchNormalization` layers are those of its own passes, or averages or copies of the
student's: `statistics` says which. The ramp w(t) and the noise are in
`bdlzoo.families.consistency_model`.

Reference: Tarvainen and Valpola, Mean Teachers are Better Role Models, NeurIPS 2017.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.families import averaged_network
from bdlzoo.families.consistency_model import ConsistencyModel
from bdlzoo.surgery import cloning

_TEACHER = 2  # Beside the keys of `consistency_model`.


@keras.saving.register_keras_serializable(package="bdlzoo")
class MeanTeacher(ConsistencyModel):
    """Trains a network to agree with the moving average of its weights.

    Args:
        network: Keras model that classifies, the student; its outputs are logits. The
            teacher is a copy of it.
        likelihood: Likelihood of classes: `"categorical"`, `"bernoulli"`, a dictionary
            with such a name under `type`, or an object of `bdlzoo.likelihoods`.
        consistency_weight: Float, at least 0, weight of the agreement after the ramp.
            0 is supervised training.
        ramp_steps: Integer, steps in which the weight rises. Too few can make all
            predictions the same.
        decay: Float, at least 0 and below 1, share of the teacher's weights that a
            step keeps after the ramp.
        ramp_decay: Float, the same in the ramp, where the student learns fast.
        statistics: Moving statistics of the teacher's `BatchNormalization`: `"own"` are
            those of its own passes, which normalise by their batch; `"average"` are
            averages of the student's, as the weights are, and `"copy"` are the
            student's, both of which its passes normalise by.
        augmentation: Keras layer or model that changes inputs at random, such as
            `keras.layers.RandomTranslation`, a name or a dictionary with the name under
            `type` and options beside it, or a list of them; `None` for none.
        input_noise: Float, standard deviation of Gaussian noise on the inputs.
        labelled_batch: Integer, labelled rows of a batch; `None` for `batch_size`, as
            many as rows without labels.
        predictor: `"teacher"` predicts by the teacher without noise, `"draws"` by the
            mean over dropout masks of the student.
        num_samples: Integer, draws at prediction; all are the same for `"teacher"`.
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

        model = bdlzoo.methods.MeanTeacher(network, input_noise=0.3, ramp_steps=1000)
        model.compile(optimizer="adam")
        model.fit(x, y, unlabelled=x_more, epochs=10)
    """

    predictors = ("teacher", "draws")

    def __init__(self, network, likelihood="categorical", consistency_weight=20.0,
                 ramp_steps=1000, decay=0.999, ramp_decay=0.99, statistics="own",
                 augmentation=None, input_noise=0.0, labelled_batch=None,
                 predictor="teacher", num_samples=32, num_train_samples=1,
                 prior_scale=None, kl_weight=1.0, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, consistency_weight=consistency_weight,
            ramp_steps=ramp_steps, augmentation=augmentation, input_noise=input_noise,
            labelled_batch=labelled_batch, predictor=predictor,
            num_samples=num_samples, num_train_samples=num_train_samples,
            prior_scale=prior_scale, kl_weight=kl_weight, num_data=num_data, seed=seed,
            **kwargs)
        for name, value in (("decay", decay), ("ramp_decay", ramp_decay)):
            if not 0 <= value < 1:
                raise ValueError("Expected a number of at least 0 and below 1. "
                                 f"Received: {name}={value}")
        if statistics not in averaged_network.STATISTICS:
            raise ValueError("Expected one of "
                             f"{', '.join(averaged_network.STATISTICS)}. Received: "
                             f"statistics={statistics!r}")
        self.decay = decay
        self.ramp_decay = ramp_decay
        self.statistics = statistics
        self.teacher = cloning.clone(network)

    @property
    def point_network(self):
        return self.teacher

    def build(self, input_shape):
        super().build(input_shape)
        averaged_network.begin(self.teacher, self.network, input_shape)

    def gaps(self, probabilities, x, key, rows):
        del rows
        own = noise.fold_in(key, _TEACHER)
        with noise.draws(own):
            outputs = self.teacher(self.perturbed(x, own),
                                   training=self.statistics == "own")
        targets = self.probabilities(tf.cast(outputs, tf.float32)[None])
        return tf.reduce_mean(tf.square(
            probabilities[0] - tf.stop_gradient(targets[0])), axis=-1)

    def update(self, gradients, key):
        super().update(gradients, key)
        averaged_network.follow(
            self.teacher, self.network, self.decay_at(self.optimizer.iterations),
            self.statistics)

    def decay_at(self, step):
        """Share of the teacher that step `step` keeps, from 1 on: `[]`, a float."""
        step = tf.cast(step, tf.float32)
        most = tf.where(step <= self.ramp_steps, self.ramp_decay, self.decay)
        return averaged_network.share_kept(step, most)

    def get_config(self):
        return {**super().get_config(), "decay": self.decay,
                "ramp_decay": self.ramp_decay, "statistics": self.statistics}
