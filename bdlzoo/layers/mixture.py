"""Mixture of several copies of a layer, its members; each row uses one of them.

    outputs_b = layer(x_b; w_m),    m = member of row b

A mixture of Gaussians has `w_m + exp(log_scale_m) * eps_m` in place of `w_m`.
Outside of a draw scope the weights are the mean over members. In a coherent scope all
rows use one member. Otherwise the first row uses a random member, the next row the
next member, and so on: the member of a row is uniform, and a batch costs as much as
with one layer. All mixtures of a network use the same member for a row, so together
they are copies of one block.

Reference: Deng et al., LiBRe: A Practical Bayesian Approach to Adversarial
Detection, CVPR 2021 (mixture of deltas).
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise, stacking

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


@keras.saving.register_keras_serializable(package="bdlzoo")
class Mixture(keras.layers.Layer):
    """Runs each row through one of several copies of a layer.

    Args:
        layer: Layer of Keras with weights. It is only a template: its own weights are
            not used, and `set_members` gives weights to the members.
        num_members: Integer, number of copies.
        gaussian: Bool, whether each weight of a member has Gaussian noise with a learnt
            scale.
        init_log_scale: Float, logarithm of these scales at the start.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`; name and
            dtype are those of `layer` if not given.

    Call arguments:
        inputs: Tensor `[B, ...]`.

    Returns:
        Tensor `[B, ...]`, the outputs of the layer.

    Example:

        Mixture(keras.layers.Dense(10), num_members=20)
    """

    stochastic = True

    def __init__(self, layer, num_members, gaussian=False, init_log_scale=-5.5,
                 **kwargs):
        super().__init__(**{"name": layer.name, "dtype": layer.dtype_policy,
                            **kwargs})
        self._plain = stacking.Untracked(layer)  # Its weights are not used.
        self.num_members = num_members
        self.gaussian = gaussian
        self.init_log_scale = init_log_scale

    @property
    def layer(self):
        """The template, which is never changed."""
        return self._plain.value

    def build(self, input_shape):
        with tf.init_scope():  # Weights are made outside of graphs.
            if not self.layer.built:
                self.layer.build(input_shape)
            self.stack = stacking.stack(self.layer, self.num_members,
                                        noise.key(0, noise.INITIAL))
        self.log_scales = [self.add_weight(
            name=f"{part.name}_log_scale", shape=part.shape, autocast=False,
            initializer=keras.initializers.Constant(self.init_log_scale))
            for part in self.members] if self.gaussian else []

    @property
    def members(self):
        """Trainable weights of all members, a list of tensors `[M, ...]`."""
        return [part for part in self.stack.parts if part.trainable]

    def set_members(self, values):
        """Gives all members the same weights, a list like `layer.get_weights()`."""
        for part, value in zip(self.stack.parts, values, strict=True):
            part.assign(tf.repeat(tf.convert_to_tensor(value)[None],
                                  self.num_members, axis=0))

    def call(self, inputs):
        draw = noise.current()
        if draw is None:
            return self._one(inputs, [tf.reduce_mean(part, axis=0)
                                      for part in self.stack.parts])
        member = draw.member_of(self.num_members)
        if draw.coherent:
            return self._one(inputs, self._drawn(draw, member))
        return self._in_turn(inputs, draw, member)

    def _one(self, inputs, values):
        """Outputs of the layer with given weights for all rows."""
        value_of = {id(weight): value for weight, value
                    in zip(self.layer.weights, values, strict=True)}
        outputs, _ = self.layer.stateless_call(*(
            [value_of.get(id(v), v.value) for v in every]
            for every in (self.layer.trainable_variables,
                          self.layer.non_trainable_variables)), inputs)
        return outputs

    def _in_turn(self, inputs, draw, member):
        rows, shape = tf.shape(inputs)[0], inputs.shape[1:]
        turns = -(-rows // self.num_members)
        missing = turns * self.num_members - rows
        whole = tf.pad(inputs, [[0, missing]] + [[0, 0]] * len(shape))
        turned = tf.reshape(whole, [turns, self.num_members, *shape])
        # Row 0 of a turn goes to `member`, row 1 to the next, and so on.
        dealt = tf.roll(_swapped(turned), member, axis=0)  # [M, turns, ...]
        with keras.StatelessScope(state_mapping=self._noisy(draw)):
            outputs = self.stack(dealt)
        outputs = _swapped(tf.roll(outputs, -member, axis=0))
        return tf.reshape(outputs, [turns * self.num_members,
                                    *outputs.shape[2:]])[:rows]

    def _drawn(self, draw, member):
        """Weights of one member, with its noise if it has any."""
        noisy = iter(self._noise(draw, lambda part: part[member]))
        return [next(noisy) if self.gaussian and part.trainable else part[member]
                for part in self.stack.parts]

    def _noisy(self, draw):
        """Weights of all members with their noise, by variable."""
        if not self.gaussian:
            return []
        return list(zip(self.members, self._noise(draw, tf.convert_to_tensor)))

    def _noise(self, draw, of):
        """Yields mean plus noise of the part of each weight that `of` selects."""
        normal = noise.normal if draw.coherent else noise.coarse_normal
        for place, (part, log_scale) in enumerate(zip(self.members,
                                                      self.log_scales)):
            mean, scale = of(part), tf.exp(of(log_scale))
            eps = normal(mean.shape, draw.key_of(self, place))
            yield mean + tf.cast(scale * eps, mean.dtype)

    def compute_output_shape(self, input_shape):
        return self.layer.compute_output_shape(input_shape)

    def get_config(self):
        return {**super().get_config(), "layer": _serialize(self.layer),
                "num_members": self.num_members, "gaussian": self.gaussian,
                "init_log_scale": self.init_log_scale}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "layer": _deserialize(config["layer"])})


def _swapped(tensor):
    """A tensor with its first two axes exchanged."""
    return tf.transpose(tensor, [1, 0, *range(2, tensor.shape.rank)])
