"""Base class of density models whose code is discrete: N variables of K values.

    prior  = uniform over the K**N codes
    q      = prod over n of softmax(potentials_n),    potentials = encoder(x)
    KL     = sum over n of (log K - entropy of variable n)

A code is drawn by the arg max of potentials with Gumbel noise, and reaches the decoder
as one-hot rows, `N K` numbers.

The likelihood of an input is exact where there are at most 65,536 codes: it is the mean
over all of them. Beyond, it is estimated by draws.
"""

import math

import numpy as np
import tensorflow as tf

from bdlzoo.core import batches, noise
from bdlzoo.core.checks import check_count
from bdlzoo.core.discrete_code import DiscreteCode
from bdlzoo.estimators.exact import all_codes
from bdlzoo.families.latent_model import LatentModel

_SHOWN = 8  # Variables in a picture.
_COUNTED = 2**16  # Codes that are summed over for a likelihood.
_AT_ONCE = 256  # Codes that are decoded at once for it.


class DiscreteModel(LatentModel):
    """Learns how inputs are distributed, by discrete codes of them.

    A subclass writes `estimated_nll`.

    Args:
        encoder: Keras model from an input to the numbers of `num_outputs`.
        decoder: Keras model from a code `[B, N K]` of one-hot rows to as many numbers
            as an input has.
        num_variables: Integer, the N.
        num_values: Integer, the K.
        train_kl: Bool, whether the KL is trained; it is always reported.
        **kwargs: Arguments of `LatentModel`.
    """

    def __init__(self, encoder, decoder, num_variables, num_values, *, train_kl=True,
                 **kwargs):
        super().__init__(encoder, decoder, **kwargs)
        check_count("num_variables", num_variables)
        check_count("num_values", num_values)
        if num_values < 2:
            raise ValueError("Expected two values or more of each variable. Received: "
                             f"num_values={num_values}")
        self.num_variables = num_variables
        self.num_values = num_values
        self.train_kl = train_kl

    @classmethod
    def network_arguments(cls, config, row_shape):
        variables, values = cls.sizes_of(config["method"])
        return {"encoder": {"input_shape": row_shape,
                            "outputs": cls.num_outputs(variables, values)},
                "decoder": {"input_shape": (variables * values,),
                            "outputs": math.prod(row_shape)}}

    @classmethod
    def sizes_of(cls, method):
        """Numbers of variables and of values in the section `method` of a config."""
        return method["num_variables"], method["num_values"]

    @classmethod
    def num_outputs(cls, num_variables, num_values):
        """Outputs that the encoder must have."""
        return num_variables * num_values

    def code_shape_of(self, outputs):
        wanted = self.num_outputs(self.num_variables, self.num_values)
        if outputs != (None, wanted):
            raise ValueError(
                f"Expected an encoder with {wanted} outputs, for {self.num_variables} "
                f"variables of {self.num_values} values. Received: outputs of shape "
                f"{outputs}")
        return self.num_variables, self.num_values

    # What a step does.

    def posterior(self, x, training=False):
        """Tuple with the potentials of the code, `[B, N, K]`."""
        outputs = tf.cast(self.encoder(x, training=training), tf.float32)
        return (tf.reshape(outputs, [-1, *self.code_shape]),)

    def prior(self):
        return (tf.zeros(self.code_shape),)

    def unit_noise(self, shape, key):
        return noise.gumbel(shape, key)

    def codes(self, posterior, table):
        noisy = posterior[0] + table
        return tf.one_hot(tf.argmax(noisy, axis=-1), self.num_values)

    def reconstruction_loss(self, x, codes, training=False):
        if codes.shape[1] == 1:  # All rows have the same codes: they are decoded once.
            return -self.likelihood.log_prob_of_shared(
                x, self.outputs(codes[:, 0], training))
        return super().reconstruction_loss(x, codes, training)

    def objective(self, x, y, sample_weight, key):
        with noise.draws(noise.fold_in(key, 1)):
            posterior = self.posterior(x, training=True)
            nll = self.estimated_nll(
                posterior, lambda codes: self.reconstruction_loss(x, codes, True),
                noise.fold_in(key, 0))
        nll, kl = (batches.weighed_mean(term, sample_weight)
                   for term in (nll, self.kl(posterior)))
        bound = nll + (kl if self.train_kl else tf.stop_gradient(kl))
        loss = tf.add_n([bound, *self.network_losses()])
        return {"loss": loss, "nll": nll, "kl": kl}, None

    def estimated_nll(self, posterior, loss, key):
        """Mean loss of draws `[B]`, whose gradient is an estimate.

        Args:
            posterior: What `posterior` returned.
            loss: Function from codes `[S, B, N, K]` to losses `[S, B]`.
            key: Key of the noise.
        """
        raise NotImplementedError

    @property
    def step(self):
        """Step of training, for schedules; 0 before `compile`."""
        return self.optimizer.iterations if self.compiled else 0

    def kl(self, posterior):
        logs = tf.nn.log_softmax(posterior[0])
        return tf.reduce_sum(tf.exp(logs) * logs, axis=[-2, -1]) + self._log_codes

    @property
    def _log_codes(self):
        """Log of the number of codes, minus the log-probability of one in the prior."""
        return self.num_variables * math.log(self.num_values)

    def log_ratio(self, posterior, codes):
        logs = tf.nn.log_softmax(posterior[0])
        return -self._log_codes - tf.reduce_sum(codes * logs, axis=[-2, -1])

    def log_density(self, x, num_samples, key):
        if self.num_values**self.num_variables > _COUNTED:
            return super().log_density(x, num_samples, key)
        codes = all_codes(self.num_variables, self.num_values)
        together = 1  # A power of the number of values, which divides that of codes.
        while together * self.num_values <= min(_AT_ONCE, len(codes)):
            together *= self.num_values
        found = tf.map_fn(
            lambda some: self.likelihood.log_prob_of_shared(x, self.outputs(some)),
            tf.constant(codes.reshape(-1, together, *codes.shape[1:])))  # [P, T, B]
        return tf.reduce_logsumexp(found, axis=[0, 1]) - self._log_codes

    # What a user calls.

    def encode(self, x):
        """Codes of inputs.

        Args:
            x: Inputs, as arrays or tensors.

        Returns:
            `DiscreteCode` with `values`, `probs` and `entropy`.
        """
        return DiscreteCode(*self._by_rows(self._coded, x))

    def coded(self, posterior):
        return {"code": tf.argmax(posterior[0], axis=-1, output_type=tf.int32),
                "code_probs": tf.nn.softmax(posterior[0])}

    @property
    def code_spec(self):
        return tf.TensorSpec([None, self.num_variables], tf.int32, "code")

    def read_code(self, code):
        last = self.num_values - 1
        check = tf.debugging.Assert(
            tf.reduce_all((code >= 0) & (code <= last)),
            [f"Expected a code of values from 0 to {last}. Received: code=", code])
        with tf.control_dependencies([check]):
            return tf.one_hot(code, self.num_values)

    def code_pictures(self, x):
        """What each code decodes to, or one input with each of its variables moved."""
        code = self.encode(x)
        if self.num_variables == 1:
            used = np.bincount(code.values[:, 0], minlength=self.num_values) / len(x)
            images = np.asarray(self._decoded(np.eye(
                self.num_values, dtype="float32")[:, None]))
            return {"codes": {
                "images": images[None], "title": "What the codes decode to",
                "columns": [f"{value}: {share:.0%}"
                            for value, share in enumerate(used)]}}
        vague = code.probs.mean(axis=0)  # Variables that inputs use differently.
        chosen = np.argsort(vague.max(axis=-1), kind="stable")[:_SHOWN]
        values = np.tile(code.values[0], (len(chosen), self.num_values, 1))
        for place, variable in enumerate(chosen):
            values[place, :, variable] = np.arange(self.num_values)
        codes = np.eye(self.num_values, dtype="float32")[values]
        return {"latent_walk": {
            "images": np.asarray(self._decoded(codes)),
            "rows": [f"variable {variable}" for variable in chosen],
            "columns": [f"{value}" for value in range(self.num_values)],
            "title": "One code, with each variable moved"}}

    def get_config(self):
        return {**super().get_config(), "num_variables": self.num_variables,
                "num_values": self.num_values, "train_kl": self.train_kl}
