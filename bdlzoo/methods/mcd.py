"""MCD: maximum classifier discrepancy.

    discrepancy = mean over rows and classes of |softmax(head 1) - softmax(head 2)|
    step A      network and heads lower  nll(head 1) + nll(head 2)  on the source
    step B      heads lower              nll(head 1) + nll(head 2) - discrepancy
    step C      features lower           discrepancy,      num_feature_steps times

Two heads that are both right on the source disagree on rows of the target that are far
from it. Features then bring these rows nearer. Both heads predict, as two draws: where
they disagree, the model does not know.

Reference: Saito et al., Maximum Classifier Discrepancy for Unsupervised Domain
Adaptation, CVPR 2018.
"""

import keras

from bdlzoo.families.adapting_model import AdaptingModel
from bdlzoo.families.classifier_discrepancy import ClassifierDiscrepancy


@keras.saving.register_keras_serializable(package="bdlzoo")
class MCD(AdaptingModel):
    """Trains two heads against the features that they read.

    Args:
        network: Functional or Sequential Keras model that classifies; its outputs are
            logits.
        likelihood: Must be `"categorical"`, or a `bdlzoo.likelihoods.Categorical`.
        head_layers: Integer, last layers with weights that are a head; the second
            head is a copy with other initial weights.
        num_feature_steps: Integer, steps of the features for each batch.
        features: What CAT aligns if this is its base: `"outputs"` of the network, or
            `"hidden"`, what the heads read.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_samples: Integer, draws at prediction: the two heads in turn, so two are
            enough.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        num_data: Integer, number of rows of the source, by which the prior is divided
            in the loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        model = bdlzoo.methods.MCD(network, head_layers=2)
        model.compile(keras.optimizers.Adam(2e-4, weight_decay=5e-4))
        model.fit(x, y, target=x_target, epochs=80)
        model.predict_uncertainty(x_target).mutual_information
    """

    def __init__(self, network, likelihood="categorical", head_layers=1,
                 num_feature_steps=4, features="outputs", prior_scale=None,
                 num_samples=2, kl_weight=1.0, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, parts=[ClassifierDiscrepancy(
                head_layers, num_feature_steps)], features=features,
            prior_scale=prior_scale, num_samples=num_samples, kl_weight=kl_weight,
            num_data=num_data, seed=seed, **kwargs)
        self.head_layers = head_layers
        self.num_feature_steps = num_feature_steps

    def get_config(self):
        return {**super().get_config(), "head_layers": self.head_layers,
                "num_feature_steps": self.num_feature_steps}
