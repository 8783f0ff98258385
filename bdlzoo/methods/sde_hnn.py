"""SDE-HNN: a heteroscedastic network whose prediction and noise interact.

    h_0     = encoder(x)
    h_{k+1} = h_k + f([h_k, t_k]) dt + g([h_k, t_k]) sqrt(dt) z_k
    m, v    = head(h_T)
    loss    = mean over paths of 0.5 log(2 pi v) + (y - m)**2 / (2 v)

The diffusion g is evaluated anew at every step, so that prediction and uncertainty
influence each other. Training takes a pair of paths with opposite noise, which lowers
the variance of the gradient and does not change the distribution of a path. At
prediction the paths are a mixture: aleatoric is the mean of v, epistemic the
variance of m. Other likelihoods can replace mean and variance.

Only the abstract of the paper was available: this is a reconstruction, based on
SDE-Net, not the authors' exact design.

Reference: Cui et al., SDE-HNN: Accurate and Well-calibrated Forecasting using
Stochastic Differential Equations, TKDD 2024; Kong, Sun and Zhang, SDE-Net, ICML
2020.
"""

import keras

from bdlzoo.families.path_model import PathModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class SDEHNN(PathModel):
    """Trains drift and diffusion together, both by the likelihood.

    Args:
        network: Keras model with at least one `SDEFlow` that evaluates its diffusion at
            every step, such as `bdlzoo.networks.SDEMLP`. With `antithetic=True` in the
            flow, paths come in pairs with opposite noise.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        num_samples: Integer, paths that are averaged at prediction.
        num_train_samples: Integer, paths in a training step.
        kl_weight: Float, weight of the prior in the loss; 1 is that of Bayes' rule.
        prior_scale: Float, standard deviation of the zero-mean Gaussian prior on the
            weights; `None` for no prior.
        num_data: Integer, number of training rows, by which the prior is divided in the
            loss; `None` reads it in `fit`.
        seed: Integer, seed of all noise; `None` draws one, which is saved with the
            model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        network = bdlzoo.networks.SDEMLP((8,), hidden=(64,), outputs=2)
        model = bdlzoo.methods.SDEHNN(network, "heteroscedastic_gaussian")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=50)
    """

    def __init__(self, network, likelihood="categorical", num_samples=10,
                 num_train_samples=2, kl_weight=1.0, prior_scale=None, num_data=None,
                 seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            prior_scale=prior_scale, num_data=num_data, seed=seed, **kwargs)

    def build(self, input_shape):
        super().build(input_shape)
        for flow in self.flows():
            if flow.hold_diffusion:
                raise ValueError(
                    "Expected a diffusion that is evaluated at every step; one that "
                    "is held at the start is for `SDENet`. Received: flow "
                    f"{flow.name} with hold_diffusion=True")
