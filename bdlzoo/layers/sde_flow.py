"""A stochastic differential equation in place of a stack of layers.

    h_{k+1} = h_k + f([h_k, t_k]) dt + scale * g([h_k, t_k]) sqrt(dt) z_k
    dt      = total_time / num_steps,   t_k = k dt,   z_k ~ N(0, 1)

The scheme of Euler and Maruyama for the drift f and the diffusion g, both
networks, which also read the time. Outside of a draw scope z is 0, and the layer
is a residual network. In a coherent scope one Brownian path drives all rows of
the batch, otherwise each row has its own. Where a scope says that several draws
are stacked in the batch, they are as many paths; with `antithetic` paths come in
pairs, of z and -z, which leaves the law of each as it is and cancels the odd
part of the noise in their mean.

The steps are unrolled: there are few of them, and a gradient step takes half
the time of a `tf.while_loop`, which has to stack what it passes.

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
    """Moves flat states along the paths of an SDE.

    Args:
        drift: Keras layer or model, from a state and the time, `[B, D + 1]`, to
            `[B, D]`.
        diffusion: Keras layer or model, from the same to `[B, D]` or `[B, 1]`.
        num_steps: Integer, steps of the scheme.
        total_time: Float, time at the end.
        diffusion_scale: Float, factor of the diffusion; 0 turns noise off.
        hold_diffusion: Bool, whether the diffusion is evaluated once, at the
            start, as in SDE-Net, instead of at every step.
        antithetic: Bool, whether paths 2i and 2i + 1 have opposite noise.
        **kwargs: See `keras.layers.Layer`.

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
        # Steps are small beside the state: their sum is not in half precision.
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
            draw: `noise.Draw`, whose paths follow one another in the batch.
            rows: Integer, rows of the batch, all paths together.
            width: Integer, width of a state.

        Returns:
            Tensor `[T, S, B, D]`; `[T, S, 1, D]` where the draw is coherent.
        """
        count, key = draw.count, draw.key_of(self)
        if isinstance(count, int) and count < 1:
            raise ValueError("Expected at least one path. Received: "
                             f"count={count}")
        drawn = (count + 1) // 2 if self.antithetic else count
        if draw.coherent:
            # A key for each path: it does not know how many there are.
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
