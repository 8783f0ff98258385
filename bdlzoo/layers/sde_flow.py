"""Layer that solves a stochastic differential equation, in place of many layers.

    h_{k+1} = h_k + f([h_k, t_k]) dt + scale * g([h_k, t_k]) sqrt(dt) z_k
    dt      = total_time / num_steps,   t_k = k dt,   z_k ~ N(0, 1)

This is the scheme of Euler and Maruyama. The drift f and the diffusion g are networks,
which also read the time. Outside of a draw scope z is 0, and the layer is a residual
network. In a coherent scope all rows of the batch have the same Brownian path,
otherwise each row has its own. If several draws are stacked in the batch, each draw
has its own paths. With `antithetic` paths come in pairs, with z and with -z: each path
has the same distribution as before, and odd terms of the noise cancel in the mean of a
pair.

The steps are unrolled. There are few of them, and a gradient step takes half the time
of a `tf.while_loop`, which has to store its intermediate values.

Reference: Kong, Sun and Zhang, SDE-Net, ICML 2020; Kloeden and Platen, Numerical
Solution of Stochastic Differential Equations, 1992.
"""

import math

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.core import noise


@keras.saving.register_keras_serializable(package="bdlzoo")
class SDEFlow(keras.layers.Layer):
    """Moves flat states along the paths of a stochastic differential equation.

    Args:
        drift: Keras layer or model, from a state and the time, `[B, D + 1]`, to
            `[B, D]`.
        diffusion: Keras layer or model, from a state and the time, `[B, D + 1]`, to
            `[B, D]` or `[B, 1]`.
        num_steps: Integer, number of steps.
        total_time: Float, time at the end.
        diffusion_scale: Float, factor of the diffusion; 0 turns noise off.
        hold_diffusion: Bool, whether the diffusion is evaluated once, at the
            start, as in SDE-Net, instead of at every step.
        antithetic: Bool, whether paths 2i and 2i + 1 have opposite noise.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.

    Example:

        SDEFlow(keras.layers.Dense(50, activation="relu"),
                keras.layers.Dense(1, activation="sigmoid"), diffusion_scale=0.1)
    """

    stochastic = True

    def __init__(self, drift, diffusion, num_steps=4, total_time=4.0,
                 diffusion_scale=1.0, hold_diffusion=False, antithetic=False,
                 **kwargs):
        super().__init__(**kwargs)
        if not isinstance(num_steps, int) or num_steps < 1:
            raise ValueError("Expected a whole number of steps, at least 1. "
                             f"Received: num_steps={num_steps!r}")
        if not total_time > 0:
            raise ValueError("Expected a positive time. Received: "
                             f"total_time={total_time}")
        if not diffusion_scale >= 0:
            raise ValueError("Expected a factor of at least 0. Received: "
                             f"diffusion_scale={diffusion_scale}")
        self.drift = drift
        self.diffusion = diffusion
        self.num_steps = num_steps
        self.total_time = total_time
        self.diffusion_scale = diffusion_scale
        self.hold_diffusion = hold_diffusion
        self.antithetic = antithetic

    def build(self, input_shape):
        if len(input_shape) != 2:
            raise ValueError("Expected flat states, `[B, D]`: flatten them. "
                             f"Received: input_shape={tuple(input_shape)}")
        width = input_shape[-1]
        for name, part, fitting in (("drift", self.drift, (width,)),
                                    ("diffusion", self.diffusion, (width, 1))):
            shape = (None, width + 1)  # A state and the time.
            if not part.built:
                part.build(shape)
            output_shape = tuple(part.compute_output_shape(shape))
            if len(output_shape) != 2 or output_shape[-1] not in fitting:
                raise ValueError(
                    f"Expected a {name} with {' or '.join(map(str, fitting))} "
                    f"outputs for states of width {width}. Received: {name} "
                    f"{part.name} of output_shape={output_shape}")

    def call(self, inputs, training=False):
        # Half precision would lose the sum of many small steps.
        state = ops.cast(inputs, self.variable_dtype)
        draw, step = noise.current(), self.total_time / self.num_steps
        if draw is not None:
            shocks = self.shocks(draw, *ops.shape(state)) * (
                self.diffusion_scale * math.sqrt(step))
        for place in range(self.num_steps):
            features = self._features(state, place * step)
            change = step * self._float(self.drift(features, training=training))
            if draw is not None:
                if place == 0 or not self.hold_diffusion:
                    size = self._float(self.diffusion(features, training=training))
                change += self._times(size, shocks[place], draw.count)
            state += change
        return ops.cast(state, self.compute_dtype)

    def initial_diffusion(self, states):
        """The diffusion at the start of the flow, before its scale."""
        return self._float(self.diffusion(self._features(states, 0.0)))

    def shocks(self, draw, rows, width):
        """Normals of all steps at once.

        Args:
            draw: `noise.Draw`; its paths follow one another in the batch.
            rows: Integer, number of rows of the batch, with all paths.
            width: Integer, width of a state.

        Returns:
            Tensor `[T, S, B, D]`, or `[T, S, 1, D]` if the draw is coherent.
        """
        count, key = draw.count, draw.key_of(self)
        if isinstance(count, int) and count < 1:
            raise ValueError("Expected at least one path. Received: "
                             f"count={count}")
        drawn = (count + 1) // 2 if self.antithetic else count
        if draw.coherent:
            # A key for each path, so that a path does not depend on their number.
            normals = tf.map_fn(
                lambda path: noise.normal((self.num_steps, 1, width), path),
                noise.split(key, drawn), fn_output_signature=tf.float32)
            normals = tf.transpose(normals, [1, 0, 2, 3])  # [T, S, 1, D]
        else:
            normals = noise.normal(
                (self.num_steps, drawn, rows // count, width), key)
        if self.antithetic:
            pairs = tf.stack([normals, -normals], axis=2)
            shape = (self.num_steps, 2 * drawn, -1, width)
            normals = tf.reshape(pairs, shape)[:, :count]
        return self._float(normals)

    def _times(self, size, shocks, count):
        """Diffusion of rows times the normals of their paths, `[S * B, D]`."""
        rows, width = ops.shape(size)
        paths = tf.reshape(size, (count, rows // count, width))  # [S, B, D or 1]
        return tf.reshape(paths * shocks, (rows, shocks.shape[-1]))

    def _features(self, state, time):
        return ops.concatenate([state, ops.full_like(state[:, :1], time)], axis=1)

    def _float(self, tensor):
        return ops.cast(tensor, self.variable_dtype)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {**super().get_config(),
                "drift": serialize(self.drift),
                "diffusion": serialize(self.diffusion),
                "num_steps": self.num_steps,
                "total_time": self.total_time,
                "diffusion_scale": self.diffusion_scale,
                "hold_diffusion": self.hold_diffusion,
                "antithetic": self.antithetic}

    @classmethod
    def from_config(cls, config):
        parts = {name: keras.saving.deserialize_keras_object(config[name])
                 for name in ("drift", "diffusion")}
        return cls(**{**config, **parts})
