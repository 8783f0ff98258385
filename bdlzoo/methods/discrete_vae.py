"""Discrete variational autoencoder, trained through the arg max.

    p(x)  = mean over the K**N codes z of p(x | decoder(z))
    q     = prod over n of softmax(potentials_n),    potentials = encoder(x)
    bound = E_q[-log p(x | decoder(z))] + KL(q || uniform) >= -log p(x)

Codes are discrete, so the gradient of the mean loss has to be estimated. The default is
direct optimisation: it compares the drawn code with the one that the same noise would
give if losses counted too. The decoder sees hard codes only, in training as in
evaluation. With one variable it is called on all K codes once a step; with more, on the
codes that differ from the drawn one in one variable.

The released code of the paper reports the KL without training it, which keeps more
codes in use: `train_kl=False`.

Reference: Lorberbom, Gane, Jaakkola and Hazan, Direct Optimization through arg max for
Discrete Variational Auto-Encoder, NeurIPS 2019.
"""

import keras
import tensorflow as tf

from bdlzoo.core import registry
from bdlzoo.estimators.estimator import Estimator
from bdlzoo.estimators.exact import Exact, enumerated
from bdlzoo.families.discrete_model import DiscreteModel

_FEW = 256  # Codes that evaluation sums over, in place of draws.


@keras.saving.register_keras_serializable(package="bdlzoo")
class DiscreteVAE(DiscreteModel):
    """Learns how inputs are distributed by discrete codes, and makes new ones.

    Args:
        encoder: Keras model from an input to `N K` numbers, the potentials of the K
            values of N variables.
        decoder: Keras model from a code `[B, N K]`, one-hot rows side by side, to as
            many numbers as an input has.
        num_variables: Integer, the N.
        num_values: Integer, the K.
        estimator: Estimator of the gradient: a name, a spec or an object of
            `bdlzoo.estimators`.
        likelihood: Density of an input given the outputs of the decoder:
            `"bernoulli_pixels"` for numbers from 0 to 1, `"gaussian_pixels"` for real
            ones; a name, a spec or a `PixelLikelihood`.
        train_kl: Bool, whether the KL is trained; it is always reported.
        num_samples: Integer, draws of the code in `evaluate`, `predict` and exports;
            up to 256 codes are summed over instead.
        num_train_samples: Integer, draws of the code in a training step.
        num_data: Integer, size of the training set; `None` reads it in `fit`.
        seed: Integer; `None` draws one, which is saved with the model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        encoder = bdlzoo.networks.MLP((28, 28, 1), hidden=(300,), outputs=30)
        decoder = bdlzoo.networks.MLP((30,), hidden=(300,), outputs=784)
        model = bdlzoo.methods.DiscreteVAE(
            encoder, decoder, num_variables=15, num_values=2)
        model.compile("adam")
        model.fit(x, validation_data=x_val, epochs=30)
        codes = model.encode(x_val).values
    """

    def __init__(self, encoder, decoder, num_variables=1, num_values=10,
                 estimator="direct_optimization", likelihood="bernoulli_pixels",
                 train_kl=True, num_samples=16, num_train_samples=1, num_data=None,
                 seed=None, **kwargs):
        super().__init__(encoder, decoder, num_variables, num_values,
                         likelihood=likelihood, train_kl=train_kl,
                         num_samples=num_samples, num_train_samples=num_train_samples,
                         num_data=num_data, seed=seed, **kwargs)
        self.estimator = registry.build(estimator)
        if not isinstance(self.estimator, Estimator):
            raise ValueError("Expected an estimator of `bdlzoo.estimators`, its name "
                             f"or its spec. Received: estimator={estimator!r}")

    def estimated_nll(self, posterior, loss, key):
        return self.estimator(*posterior, loss, key, self.step, self.num_train_samples)

    @property
    def _few(self):
        """Whether evaluation sums over all codes."""
        return self.num_values**self.num_variables <= _FEW

    def mean_loss(self, x, posterior, num_samples, key):
        if not self._few:
            return super().mean_loss(x, posterior, num_samples, key)
        return Exact()(*posterior, lambda codes: self.reconstruction_loss(x, codes))

    def call(self, inputs):
        if not self._few:
            return super().call(inputs)
        codes, log_probs = enumerated(*self.posterior(inputs))
        means = self.decode(codes)  # [K**N, ...]
        return tf.tensordot(tf.exp(log_probs), means, [[0], [0]])

    def get_config(self):
        return {**super().get_config(),
                "estimator": keras.saving.serialize_keras_object(self.estimator)}

    @classmethod
    def from_config(cls, config):
        return super().from_config({
            **config, "estimator": keras.saving.deserialize_keras_object(
                config["estimator"])})
