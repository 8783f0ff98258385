"""Monte Carlo dropout.

    p(y | x) = mean over s of p(y | x, w * z_s),    z_s ~ Bernoulli(1 - rate)

Dropout that stays on at prediction draws from an approximate posterior. The layers of
the network choose its form: Bernoulli (`Dropout`), Gaussian (`GaussianDropout`), of
channels (`SpatialDropout2D`), of words (`EmbeddingDropout`), inside of recurrent layers
with one mask for a sequence (`LSTM(dropout=0.25, recurrent_dropout=0.25)`), or concrete
with a learnt rate (`ConcreteDropout`, `SpatialConcreteDropout`). The loss, with an
optional prior, is in `bdlzoo.families.dropout_model`.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016;
Gal, Hron and Kendall, Concrete Dropout, NeurIPS 2017; Gal and Ghahramani, A
Theoretically Grounded Application of Dropout in Recurrent Neural Networks, NeurIPS
2016.
"""

import keras

from bdlzoo.families.dropout_model import DropoutModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class MCDropout(DropoutModel):
    """Averages a network over its dropout masks.

    Args:
        network: Keras model whose outputs the likelihood reads: logits for classes,
            means for numbers. It holds dropout layers, of Keras or of `bdlzoo.layers`.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_samples: Integer, dropout masks that are averaged at prediction.
        num_train_samples: Integer, dropout masks for each row in a training step.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior. A network that learns its dropout rates needs
            one.
        length_scale: Float, the same prior given by its length-scale, `1 /
            prior_scale`. Give at most one of the two.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.MLP((784,), outputs=10, dropout=0.2)
        model = bdlzoo.methods.MCDropout(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=5)
        model.predict_uncertainty(x_test).mutual_information
    """

    def __init__(self, network, likelihood="categorical", num_samples=32,
                 num_train_samples=1, kl_weight=1.0, prior_scale=None,
                 length_scale=None, num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            prior_scale=prior_scale, length_scale=length_scale, num_data=num_data,
            seed=seed, **kwargs)
