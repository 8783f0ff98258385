"""Base classes of recurrent layers with a posterior over both of their kernels.

    sums_t = map(x_t, W) + map(h_t, U) + b,    W, U drawn once for a sequence

A cell has two dense layers of a technique, each with its own posterior and KL:
`input_map`, which runs on all steps at once, and `recurrent_map`, which runs at each
step with the same draw. The gates are those of the cell of Keras. Dropout has one mask
for a sequence and for all gates.
"""

import functools

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.core import held, noise

_MASKS = range(2)  # Of inputs and of the state, each with its own noise.
# Arguments of the loop over steps; all others are those of the cell.
_LOOP = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll",
         "zero_output_for_mask", "activity_regularizer", "name", "trainable", "dtype")
_POSTERIOR = ("prior_scale", "prior", "init_scale", "scale_transform",
              "variational_bias")


def start_loop(layer, make_cell, **kwargs):
    """Makes a layer of Keras with another cell than its constructor would make.

    Args:
        layer: Layer, such as a subclass of `keras.layers.LSTM`.
        make_cell: Function of the arguments of the cell.
        **kwargs: Arguments of the layer of Keras.
    """
    kwargs.pop("use_cudnn", None)  # There is no form for GPUs.
    loop = {name: kwargs.pop(name) for name in _LOOP if name in kwargs}
    shared = {name: loop[name] for name in ("trainable", "dtype") if name in loop}
    cell = make_cell(name="cell", **shared, **kwargs)
    keras.layers.RNN.__init__(layer, cell, **loop)
    layer.input_spec = keras.InputSpec(ndim=3)
    layer.use_cudnn = False


class VariationalCell:
    """Draws the two kernels of the cell of Keras that it is mixed into.

    A cell defines `num_gates`, and `step(sums, state)`.

    Args:
        technique: Class of a dense layer with a posterior.
        options: Dict, arguments of the posterior.
        **kwargs: Arguments of the cell of Keras.
    """

    stochastic = True
    num_gates = 1
    recurrent_bias = False  # Whether the state has a bias of its own.

    def __init__(self, technique, options, **kwargs):
        super().__init__(**kwargs)
        width = self.num_gates * self.units
        self.input_map = technique(
            width, use_bias=self.use_bias, name="input_map",
            kernel_initializer=self.kernel_initializer,
            kernel_regularizer=self.kernel_regularizer,
            kernel_constraint=self.kernel_constraint,
            bias_initializer=self.first_bias, bias_regularizer=self.bias_regularizer,
            bias_constraint=self.bias_constraint, dtype=self.dtype_policy, **options)
        prior = self.input_map.prior  # Each map needs its own.
        options = {**options, "prior": type(prior).from_config(prior.get_config())}
        self.recurrent_map = technique(
            width, use_bias=self.recurrent_bias, name="recurrent_map",
            kernel_initializer=self.recurrent_initializer,
            kernel_regularizer=self.recurrent_regularizer,
            kernel_constraint=self.recurrent_constraint,
            bias_initializer=self.bias_initializer,
            bias_constraint=self.bias_constraint, dtype=self.dtype_policy, **options)

    def build(self, input_shape):
        self.input_map.build(input_shape)
        self.recurrent_map.build((None, self.units))

    def first_bias(self, shape, dtype=None):
        """Bias of the inputs at the start."""
        return self.bias_initializer(shape, dtype=dtype)

    def project(self, sequences):
        """Share of the inputs in the sums of all steps, `[B, T, gates * units]`."""
        mask = self.get_dropout_mask(sequences[:, 0])
        if mask is not None:
            sequences *= mask[:, None]
        return self.input_map(sequences)

    def call(self, inputs, states, training=False):
        """Runs a step on inputs that `project` has returned."""
        del training  # The scope turns on noise.
        return self.step(inputs, *states)

    def recurrent_sums(self, state):
        """Share of the state in the sums of a step, `[B, gates * units]`."""
        mask = self.get_recurrent_dropout_mask(state)
        return self.recurrent_map(state if mask is None else state * mask)

    def get_dropout_mask(self, step_input):
        return self._mask(step_input, self.dropout, _MASKS[0])

    def get_recurrent_dropout_mask(self, step_input):
        return self._mask(step_input, self.recurrent_dropout, _MASKS[1])

    def _mask(self, tensor, rate, part):
        draw = noise.current()
        if draw is None or not 0.0 < rate < 1.0:
            return None
        keep = held.once((id(self), part), lambda: noise.mask(
            draw.rows(ops.shape(tensor)), rate, draw.key_of(self, part)))
        return tf.cast(keep, tensor.dtype) * (1.0 / (1.0 - rate))


class VariationalRNN:
    """Runs the loop of the layer of Keras that it is mixed into.

    Args:
        cell: Class of the cell.
        technique: Class of a dense layer with a posterior.
        **kwargs: Arguments of the posterior and of the layer of Keras.
    """

    def __init__(self, cell, technique, **kwargs):
        options = {name: kwargs.pop(name) for name in _POSTERIOR}
        start_loop(self, functools.partial(cell, technique, options), **kwargs)

    def maps(self):
        """The layers that hold the posteriors of kernel and recurrent kernel."""
        return [self.cell.input_map, self.cell.recurrent_map]

    def inner_loop(self, sequences, initial_state, mask, training=False):
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        with held.values():  # One draw for all steps.
            return keras.layers.RNN.inner_loop(
                self, self.cell.project(sequences), initial_state, mask, training)

    def get_config(self):
        inputs = self.cell.input_map.get_config()
        return {**super().get_config(), **{name: inputs[name] for name in _POSTERIOR}}

    @classmethod
    def from_config(cls, config):
        prior = keras.saving.deserialize_keras_object(config["prior"])
        return cls(**{**config, "prior": prior})
