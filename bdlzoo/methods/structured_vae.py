"""Structured discrete VAE: binary variables of the code with couplings.

    potentials(x, z) = sum_i phi_i(x, z_i) + sum_(i<j) w_ij(x) z_i z_j
    z_opt            = argmax of potentials with Gumbel noise on the phi_i
    z_dir            = the same with phi_i - epsilon loss of z_opt with z_i in its place
    gradients        = (z_i of z_opt - z_i of z_dir) / epsilon,          of phi_i(1)
                       (z_i z_j of z_opt - z_i z_j of z_dir) / epsilon,  of w_ij

Only the potentials of single variables get noise, so a draw is a perturb-and-MAP
sample, and not one of the Gibbs law of the potentials. The KL is that of the single
variables without couplings: the bound that is reported is an approximate one.
`log_likelihood` is an estimate in its own right: it draws from independent variables,
each given the most probable code of the others, whose probabilities are known.

Up to 16 variables the arg max is found by enumeration. Beyond, couplings must not be
negative, and each row takes a minimum cut in Python, which cannot be exported.

Reference: Lorberbom, Gane, Jaakkola and Hazan, Direct Optimization through arg max for
Discrete Variational Auto-Encoder, NeurIPS 2019; Papandreou and Yuille, Perturb-and-MAP
Random Fields, ICCV 2011.
"""

import keras
import tensorflow as tf

from bdlzoo.core import pairwise_argmax, registry
from bdlzoo.estimators.direct_optimization import DirectOptimization, losses_around
from bdlzoo.estimators.estimator import perturbed, value_at, with_gradient
from bdlzoo.families.discrete_model import DiscreteModel

_MOST = pairwise_argmax.MOST_ENUMERATED
# Subtracted before the softplus: couplings of a new encoder are weak. At the softplus
# of 0 the N - 1 couplings of a variable outweigh its noise, and all become equal.
_WEAK = 4.0


@keras.saving.register_keras_serializable(package="bdlzoo")
class StructuredVAE(DiscreteModel):
    """Learns how inputs are distributed by binary codes whose variables are coupled.

    Args:
        encoder: Keras model from an input to `2 N + N (N - 1) / 2` numbers: potentials
            of both values of N variables, then a coupling of each pair.
        decoder: Keras model from a code `[B, 2 N]`, one-hot rows side by side, to as
            many numbers as an input has.
        num_variables: Integer, the N, at least 2.
        estimator: `DirectOptimization`, or its name or spec.
        likelihood: Density of an input given the outputs of the decoder:
            `"bernoulli_pixels"` for numbers from 0 to 1, `"gaussian_pixels"` for real
            ones; a name, a spec or a `PixelLikelihood`.
        attractive: Bool, whether couplings are at least 0, the softplus of what the
            encoder says minus 4, so that they start weak; otherwise they may be
            negative, for up to 16 variables.
        train_kl: Bool, whether the KL is trained; it is always reported.
        num_samples: Integer, draws of the code in `evaluate`, `predict` and exports.
        num_train_samples: Integer, draws of the code in a training step.
        num_data: Integer, size of the training set; `None` reads it in `fit`.
        seed: Integer; `None` draws one, which is saved with the model.
        **kwargs: Arguments of `keras.Model`, such as `name`.

    Example:

        encoder = bdlzoo.networks.MLP((28, 28, 1), hidden=(300,), outputs=135)
        decoder = bdlzoo.networks.MLP((30,), hidden=(300,), outputs=784)
        model = bdlzoo.methods.StructuredVAE(encoder, decoder, num_variables=15)
        model.compile("adam")
        model.fit(x, validation_data=x_val, epochs=30)
    """

    def __init__(self, encoder, decoder, num_variables,
                 estimator="direct_optimization", likelihood="bernoulli_pixels",
                 attractive=True, train_kl=True, num_samples=16, num_train_samples=1,
                 num_data=None, seed=None, **kwargs):
        super().__init__(encoder, decoder, num_variables, 2, likelihood=likelihood,
                         train_kl=train_kl, num_samples=num_samples,
                         num_train_samples=num_train_samples, num_data=num_data,
                         seed=seed, **kwargs)
        if num_variables < 2:
            raise ValueError("Expected two variables or more, which are coupled: use "
                             "`DiscreteVAE` for one. Received: num_variables="
                             f"{num_variables}")
        if num_variables > _MOST and not attractive:
            raise ValueError(
                f"Expected attractive=True for more than {_MOST} variables: a minimum "
                "cut needs couplings of at least 0, and all codes are too many. "
                f"Received: attractive={attractive}, num_variables={num_variables}")
        self.estimator = registry.build(estimator)
        if not isinstance(self.estimator, DirectOptimization):
            raise ValueError(
                "Expected `DirectOptimization`, which needs an arg max and no "
                f"probabilities. Received: estimator={estimator!r}")
        self.attractive = attractive

    @classmethod
    def sizes_of(cls, method):
        return method["num_variables"], 2

    @classmethod
    def num_outputs(cls, num_variables, num_values):
        pairs = num_variables * (num_variables - 1) // 2
        return num_variables * num_values + pairs

    def compile(self, optimizer="adam", jit_compile="auto", **kwargs):
        """As in `StochasticModel`, but for XLA, which has no minimum cut."""
        if self.num_variables > _MOST:
            if jit_compile not in (False, "auto"):
                raise ValueError(
                    f"Expected jit_compile=False for more than {_MOST} variables: XLA "
                    f"has no minimum cut. Received: jit_compile={jit_compile}")
            jit_compile = False
        super().compile(optimizer, jit_compile=jit_compile, **kwargs)

    def posterior(self, x, training=False):
        """Potentials of single variables `[B, N, 2]`, and couplings of pairs."""
        outputs = tf.cast(self.encoder(x, training=training), tf.float32)
        size = 2 * self.num_variables
        couplings = outputs[:, size:]
        if self.attractive:
            couplings = tf.nn.softplus(couplings - _WEAK)
        return tf.reshape(outputs[:, :size], [-1, *self.code_shape]), couplings

    def codes(self, posterior, table):
        if len(posterior) == 1:  # Variables without couplings: the prior, a proposal.
            return super().codes(posterior, table)
        potentials, couplings = posterior
        return tf.one_hot(_solved(potentials + table, couplings), 2)

    def estimated_nll(self, posterior, loss, key):
        potentials, couplings = posterior
        fixed = tf.stop_gradient(couplings)
        noisy = tf.stop_gradient(perturbed(potentials, key, self.num_train_samples))
        codes = tf.one_hot(_solved(noisy, fixed), 2)  # [S, B, N, 2]
        losses, table = losses_around(codes, loss)
        table = tf.stop_gradient(table)
        slopes = self.estimator.slopes(
            _features(codes), lambda shift: _features(
                tf.one_hot(_solved(noisy - shift * table, fixed), 2)),
            value_at(self.estimator.epsilon, self.step))
        return with_gradient(
            tf.reduce_mean(losses, axis=0), _flat(potentials, couplings),
            tf.reduce_mean(slopes, axis=0))

    def proposal(self, posterior):
        potentials, couplings = posterior
        best = tf.cast(_solved(potentials, couplings), tf.float32)  # [B, N]
        first, second = pairwise_argmax.pairs(self.num_variables)
        size = self.num_variables
        # Sums over pairs of what a variable gets from the other one.
        given = sum(tf.matmul(couplings * tf.gather(best, others, axis=-1),
                              tf.one_hot(ones, size))
                    for ones, others in ((first, second), (second, first)))
        return (potentials + given[..., None] * [0.0, 1.0],)

    def coded(self, posterior):
        return {"code": _solved(*posterior), "code_probs": tf.nn.softmax(posterior[0])}

    def endpoints(self, **options):
        if self.num_variables > _MOST:
            raise ValueError(
                f"Expected at most {_MOST} variables for an export: a minimum cut runs "
                f"in Python. Received: num_variables={self.num_variables}")
        return super().endpoints(**options)

    def get_config(self):
        config = super().get_config()
        del config["num_values"]
        return {**config, "attractive": self.attractive,
                "estimator": keras.saving.serialize_keras_object(self.estimator)}

    @classmethod
    def from_config(cls, config):
        return super().from_config({
            **config, "estimator": keras.saving.deserialize_keras_object(
                config["estimator"])})


def _solved(potentials, couplings):
    """The best values `[..., N]`, integers, by potentials `[..., N, 2]`."""
    unary = potentials[..., 1] - potentials[..., 0]
    return tf.cast(pairwise_argmax.argmax(unary, couplings), tf.int32)


def _features(codes):
    """What potentials and couplings are multiplied with, `[S, B, 1, 2 N + M]`."""
    return _flat(codes, pairwise_argmax.products(codes[..., 1]))


def _flat(potentials, couplings):
    size = 2 * potentials.shape[-2]
    lead = tf.shape(potentials)[:-2]
    flat = tf.reshape(potentials, tf.concat([lead, [size]], axis=0))
    return tf.concat([flat, couplings], axis=-1)[..., None, :]
