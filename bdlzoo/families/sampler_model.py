"""Base class of samplers that predict by kept samples.

    p(y | x) = mean over kept samples w of p(y | x, w)

See `bdlzoo.families.chain_model` for the chains.
"""

import numpy as np
import tensorflow as tf

from bdlzoo.core import flat_weights
from bdlzoo.families.chain_model import ChainModel


class SamplerModel(ChainModel):
    """Predicts by the networks of the kept samples.

    Args:
        network: Keras model; chains start from their own initial weights.
        likelihood: Name, spec or `Likelihood` of the targets.
        num_chains: Integer, chains that run side by side in one computation.
        num_kept: Integer, samples that are kept of each chain, the newest ones.
        num_samples: Integer, kept samples that predict; `None` for as many as can
            be kept. If fewer are kept so far, they are used repeatedly, in turn.
        **kwargs: Arguments of `ChainModel`: `burn_in`, `thinning`, `temperature`,
            `prior_scale`, `sample_file`, `own_order`, `num_train_samples`,
            `kl_weight`, `num_data`, `seed`.
    """

    draw_group = flat_weights.AT_ONCE

    def __init__(self, network, likelihood="categorical", *, num_chains=1,
                 num_kept=100, num_samples=None, **kwargs):
        super().__init__(
            network, likelihood, num_chains=num_chains, num_kept=num_kept,
            num_samples=num_samples or num_chains * num_kept, **kwargs)

    def sample(self, index):
        """Returns one kept sample as a plain Keras model.

        Args:
            index: Integer, place of the sample among the draws of a prediction,
                counted from 0.
        """
        self.check_ready()
        self.check_draws(index + 1)
        vector = tf.reshape(self.samples, [-1, self.flat.size])[
            self._places(tf.constant([index]))[0]]
        network = self.network.get_copy(0)
        network.set_weights([w.numpy() for w in self.flat.unflatten(vector)])
        return network

    def set_samples(self, samples):
        """Replaces the kept samples, for example by those of a file.

        Args:
            samples: Array `[n, num_chains, D]`, the oldest first. If there are more
                than `num_kept`, evenly spread ones are taken.
        """
        shape = (None, self.num_chains, self.flat.size)
        if np.ndim(samples) != 3 or np.shape(samples)[1:] != shape[1:] or not (
                len(samples)):
            raise ValueError(f"Expected samples of shape {shape}. Received: "
                             f"shape={np.shape(samples)}")
        count = min(len(samples), self.num_kept)
        places = np.linspace(0, len(samples) - 1, count).round().astype(int)
        kept = np.zeros(self.samples.shape, "float32")
        kept[:count] = samples[places]
        self.samples.assign(kept)
        self.num_stored.assign(count)

    def check_ready(self):
        super().check_ready()
        if not int(self.num_stored.numpy()):
            steps = int(self.optimizer.iterations.numpy()) if self.compiled else 0
            raise ValueError(
                "Expected a kept sample for a prediction, but none was kept yet: go "
                f"on with `fit`. Received: burn_in={self.burn_in}, "
                f"thinning={self.thinning}, and {steps} steps")

    def draw_parts(self, inputs, num_samples, key):
        del key, num_samples  # The kept samples are the draws.
        current = self.flat.flatten(self.network.parts())
        samples = tf.reshape(self.samples, [-1, self.flat.size])
        # Validation in burn-in uses the current states of the chains.
        started = self.num_stored > 0

        def vectors(places):
            return tf.where(started, tf.gather(samples, self._places(places)),
                            tf.gather(current, places % self.num_chains))

        return lambda first, count: self.flat.outputs(
            lambda places: vectors(first + places), count, inputs)

    def asked(self, num_samples):
        kept = self.num_chains * tf.minimum(self.num_stored, self.num_kept)
        check = tf.debugging.assert_less_equal(
            num_samples, kept, "Expected at most as many samples as are kept.")
        with tf.control_dependencies([check]):
            return tf.identity(num_samples)

    def check_draws(self, num_samples):
        kept = self.num_chains * min(int(self.num_stored.numpy()), self.num_kept)
        if num_samples > kept:
            raise ValueError(
                f"Expected at most {kept} samples, the number of kept ones: go on "
                "with `fit`, or make the model with a larger `num_kept`. Received: "
                f"num_samples={num_samples}")

    def _places(self, draws):
        """Places of the samples of draws; those of few draws are far apart in time."""
        stored = tf.clip_by_value(self.num_stored, 1, self.num_kept)
        draws %= stored * self.num_chains
        events = np.arange(self.num_kept)
        bits = max(1, int(self.num_kept - 1).bit_length())
        mirrored = sum(((events >> bit) & 1) << (bits - 1 - bit)
                       for bit in range(bits))
        order = tf.argsort(tf.where(events < stored, mirrored, 2**bits + events))
        event = tf.gather(order, draws // self.num_chains)
        return event * self.num_chains + draws % self.num_chains
