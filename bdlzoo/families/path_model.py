"""Base class of networks with an SDE inside, whose draws are paths.

A path changes states and no weights, so that many paths are one tall batch: the layers
before the first flow run once, and one call of the others computes up to ten paths.
"""

import tensorflow as tf

from bdlzoo.core import keras_internals, noise, written_out
from bdlzoo.core.draw_places import places
from bdlzoo.families import weight_prior
from bdlzoo.families.prior_model import PriorModel
from bdlzoo.layers.sde_flow import SDEFlow
from bdlzoo.surgery import conversion

_AT_ONCE = 10  # Paths in a tall batch, as `memory` assumes. Even, for pairs.


class PathModel(PriorModel):
    """Averages a network over the paths of its flows.

    Args:
        network: Keras model with at least one `SDEFlow`.
        likelihood: Name, spec or `Likelihood` of the targets.
        num_samples: Integer, paths that are averaged at prediction.
        **kwargs: Arguments of `PriorModel`: `prior_scale`, `num_train_samples`,
            `kl_weight`, `num_data`, `seed`.
    """

    draw_group = _AT_ONCE
    inapplicable = {"portable": "LiteRT cannot run the shapes of paths side by side"}

    def __init__(self, network, likelihood="categorical", *, num_samples=10,
                 **kwargs):
        super().__init__(network, likelihood, num_samples=num_samples, **kwargs)

    def build(self, input_shape):
        super().build(input_shape)
        if not self.flows():
            raise ValueError(
                "Expected a network with an `SDEFlow`: put one before its last "
                "layer, or use `bdlzoo.networks.SDEMLP`. Received: network "
                f"{self.network.name} without any")

    def flows(self):
        """The flows of the network, in order."""
        return [layer for layer in keras_internals.layers(self.network)
                if isinstance(layer, SDEFlow)]

    def draw_parts(self, inputs, num_samples, key):
        noisy = conversion.stochastic_layers(self.network)
        if len(noisy) > len(self.flows()):
            # Dropout masks and drawn weights differ from draw to draw, but a
            # coherent batch has one of each: the paths run one after the other.
            return super().draw_parts(inputs, num_samples, key)
        hidden = self._parts.begin(inputs)
        rows = tf.shape(tf.nest.flatten(hidden)[0])[0]
        count = tf.minimum(num_samples, _AT_ONCE)
        turns = -(-num_samples // _AT_ONCE)
        keys = noise.split(key, turns)
        tall = tf.nest.map_structure(
            lambda t: tf.tile(t, [count] + [1] * (len(t.shape) - 1)), hidden)

        def turn(turn_key):
            with noise.draws(turn_key, coherent=True, count=count):
                return tf.cast(self._parts.finish(tall), tf.float32)

        def part(first, size):  # It begins with a turn: see `draw_group`.
            mine = places(first // _AT_ONCE, -(-size // _AT_ONCE), turns)
            outputs = written_out.map_draws(
                turn, tf.gather(keys, mine), parallel_iterations=1,
                fn_output_signature=tf.float32)
            shape = tf.concat([[tf.size(mine) * count, rows],
                               tf.shape(outputs)[2:]], axis=0)
            draws = tf.reshape(outputs, shape)[:size]  # [S, B, ...]
            return tf.ensure_shape(draws, (None, None, *outputs.shape[2:]))

        return part

    def prior_shares(self):
        return weight_prior.kept_shares(self.network)
