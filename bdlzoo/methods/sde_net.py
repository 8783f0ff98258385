"""SDE-Net: a diffusion that is small on the data and large away from it.

    h_0     = encoder(x)
    h_{k+1} = h_k + f([h_k, t_k]) dt + scale * g(h_0) sqrt(dt) z_k
    loss    = nll(head(h_T)) + ood_weight * ood
    ood     = -mean log(1 - g(encoder(x))) - mean log g(encoder(x + noise))
    noise   ~ N(0, ood_noise**2)

The drift predicts. The diffusion g in (0, 1) is the uncertainty: it is trained to
distinguish the data from noisy inputs around them. Its inputs have no gradient, so
that this term trains the diffusion alone.

The released code trains the diffusion by this term only, with a separate optimiser,
and raises the scale half way through. Here there is one optimiser, the scale is
fixed, and the likelihood trains the diffusion too; with `ood_weight` 0 the
likelihood alone does.

Reference: Kong, Sun and Zhang, SDE-Net: Equipping Deep Neural Networks with
Uncertainty Estimates, ICML 2020.
"""

import keras
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.families.path_model import PathModel


@keras.saving.register_keras_serializable(package="bdlzoo")
class SDENet(PathModel):
    """Trains the diffusion to detect inputs that are unlike the data.

    Args:
        network: Functional Keras model with one `SDEFlow`, which holds its diffusion at
            the start and whose diffusion ends in a sigmoid, such as
            `bdlzoo.networks.SDEMLP(..., diffusion="held")`.
        likelihood: Likelihood of the targets: `"categorical"`, `"bernoulli"`,
            `"gaussian"`, `"heteroscedastic_gaussian"`, a dictionary with such a name
            under `type` and options beside it, or an object of `bdlzoo.likelihoods`.
        ood_weight: Float, weight of the loss that trains the diffusion to detect noisy
            inputs; 0 for none.
        ood_noise: Float, standard deviation of the noise on the inputs, in the units of
            the inputs.
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

        network = bdlzoo.networks.SDEMLP((8,), outputs=3, diffusion="held",
                                         diffusion_scale=0.5)
        model = bdlzoo.methods.SDENet(network, likelihood="categorical")
        model.compile(optimizer="adam")
        model.fit(x, y, epochs=50)
    """

    log_names = ("loss", "nll", "kl", "ood")

    def __init__(self, network, likelihood="categorical", ood_weight=1.0, ood_noise=2.0,
                 num_samples=10, num_train_samples=1, kl_weight=1.0, prior_scale=None,
                 num_data=None, seed=None, **kwargs):
        super().__init__(
            network, likelihood, num_samples=num_samples,
            num_train_samples=num_train_samples, kl_weight=kl_weight,
            prior_scale=prior_scale, num_data=num_data, seed=seed, **kwargs)
        if not ood_weight >= 0:
            raise ValueError("Expected a weight of at least 0. Received: "
                             f"ood_weight={ood_weight}")
        if not ood_noise > 0:
            raise ValueError("Expected a positive standard deviation. Received: "
                             f"ood_noise={ood_noise}")
        self.ood_weight = ood_weight
        self.ood_noise = ood_noise

    def build(self, input_shape):
        super().build(input_shape)
        flows = self.flows()
        if (len(flows) != 1 or not flows[0].hold_diffusion
                or keras_internals.graph(self.network) is None):
            raise ValueError(
                "Expected a functional network with one flow that holds its "
                "diffusion: use `SDEMLP(..., diffusion=\"held\")`. Received: "
                f"network {self.network.name} with {len(flows)} flows, "
                f"hold_diffusion={[flow.hold_diffusion for flow in flows]}")
        last = keras_internals.layers(flows[0].diffusion)[-1]
        if getattr(last, "activation", None) is not keras.activations.sigmoid:
            raise ValueError(
                "Expected a diffusion that ends in a sigmoid, as a probability; set "
                "its size by `diffusion_scale`. Received: diffusion "
                f"{flows[0].diffusion.name}, which ends in {last.name}")

    def objective(self, x, y, sample_weight, key):
        logs, prediction = super().objective(x, y, sample_weight, key)
        if self.ood_weight:
            logs["ood"] = self.ood_loss(x, noise.fold_in(key, 1))
            logs["loss"] += self.ood_weight * logs["ood"]
        return logs, prediction

    def ood_loss(self, x, key):
        """Cross entropy of the diffusion between data and noisy data."""
        x = tf.cast(x, tf.float32)
        noisy = x + self.ood_noise * noise.normal(tf.shape(x), key)
        states = tf.stop_gradient(self._initial_states(tf.concat([x, noisy], axis=0)))
        [flow] = self.flows()
        # Away from 0 and 1: a log of 0 has no gradient.
        chance = tf.clip_by_value(flow.initial_diffusion(states), 1e-6, 1.0 - 1e-6)
        inside, outside = tf.split(chance, 2)
        return -tf.reduce_mean(tf.math.log1p(-inside)) - tf.reduce_mean(
            tf.math.log(outside))

    def _initial_states(self, x):
        """Inputs of the flow, without noise."""
        [flow] = self.flows()
        values, calls = self._parts.begin(x), iter(self._parts.after)
        while (call := next(calls)).layer is not flow:
            call.run(values, training=False)
        [start] = call.inputs.values()
        return values[start]

    def get_config(self):
        return {**super().get_config(), "ood_weight": self.ood_weight,
                "ood_noise": self.ood_noise}
