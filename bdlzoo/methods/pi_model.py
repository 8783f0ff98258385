"""Pi-model: two passes of a row through one network must agree.

    loss = nll + w(t) * mean over rows, classes and pairs i < j of (p_i - p_j)**2

The passes differ by augmentation, noise on the inputs and dropout, and the gradient
goes through both. More than two passes give the transformation loss of Sajjadi et al.,
as a mean over all pairs. The first pass has the labels. The loss, the ramp w(t) and the
noise are in `bdlzoo.families.consistency_model`.

Reference: Laine and Aila, Temporal Ensembling for Semi-Supervised Learning, ICLR 2017;
Sajjadi, Javanmardi and Tasdizen, Regularization with Stochastic Transformations and
Perturbations for Deep Semi-Supervised Learning, NeurIPS 2016.
"""

import keras
import tensorflow as tf

from bdlzoo.core.checks import check_count
from bdlzoo.families.consistency_model import ConsistencyModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class PiModel(ConsistencyModel):
    """Trains a network to agree with itself on rows without labels.

    Args:
        network: Keras model that classifies; its outputs are logits.
        likelihood: Likelihood of classes: `"categorical"`, `"bernoulli"`, a dictionary
            with such a name under `type`, or an object of `bdlzoo.likelihoods`.
        consistency_weight: Float, at least 0, weight of the agreement after the ramp.
            0 is supervised training.
        ramp_steps: Integer, steps in which the weight rises. Too few can make all
            predictions the same.
        num_passes: Integer, at least 2, passes of each row in a step.
        augmentation: Keras layer or model that changes inputs at random, such as
            `keras.layers.RandomTranslation`, a name or a dictionary with the name under
            `type` and options beside it, or a list of them; `None` for none.
        input_noise: Float, standard deviation of Gaussian noise on the inputs.
        labelled_batch: Integer, labelled rows of a batch; `None` for `batch_size`, as
            many as rows without labels.
        predictor: `"network"` predicts by the network without noise, `"draws"` by the
            mean over its dropout masks.
        num_samples: Integer, draws at prediction; all are the same for `"network"`.
        num_train_samples: Integer. It has no effect: `num_passes` says how many passes
            a step makes.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of labelled rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.PiModel(network, input_noise=0.3, ramp_steps=1000)
        model.compile(optimizer="adam")
        model.fit(x, y, unlabelled=x_more, epochs=10)
    """

    def __init__(self, network, likelihood="categorical", consistency_weight=20.0,
                 ramp_steps=1000, num_passes=2, augmentation=None, input_noise=0.0,
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
        check_count("num_passes", num_passes)
        if num_passes < 2:
            raise ValueError("Expected at least two passes, which can agree. Received: "
                             f"num_passes={num_passes}")
        self.num_passes = num_passes

    def gaps(self, probabilities, x, key, rows):
        del x, key, rows
        # The mean over pairs of (p_i - p_j)**2 is twice the unbiased variance.
        variance = tf.math.reduce_variance(probabilities, axis=0)  # [B, C]
        share = 2.0 * self.num_passes / (self.num_passes - 1.0)
        return share * tf.reduce_mean(variance, axis=-1)

    def get_config(self):
        return {**super().get_config(), "num_passes": self.num_passes}
