"""Dropout inside of recurrent cells, with one mask for all time steps.

    a_q = W_q (x_t * z_x) + U_q (h_t * z_h) + b_q,    for each gate q

The masks z_x (of rate `dropout`) and z_h (of rate `recurrent_dropout`) are drawn once
for a sequence. With recurrent dropout each gate has masks of its own, as in Keras. A
draw is then one set of weights for the whole sequence.

Adopted are the cells of Keras (`LSTMCell`, `GRUCell`, `SimpleRNNCell`, those of
`ConvLSTM`), wherever they are: in `LSTM`, `RNN`, `StackedRNNCells`, `Bidirectional`, or
in a cell or layer of a user. Outside of a draw scope they behave as before.

Reference: Gal and Ghahramani, A Theoretically Grounded Application of Dropout in
Recurrent Neural Networks, NeurIPS 2016.
"""

import types

import keras
import tensorflow as tf
from absl import logging
from keras import ops

from bdlzoo.core import held, keras_internals, noise

_INPUTS, _STATE = range(2)  # Each has its own noise.


def adopt(layer):
    """Gives the dropout of a recurrent layer, or of a cell, noise of the scope."""
    if is_random(layer):
        layer.get_dropout_mask = types.MethodType(
            _masks(type(layer).get_dropout_mask, "dropout", _INPUTS), layer)
        layer.get_recurrent_dropout_mask = types.MethodType(
            _masks(type(layer).get_recurrent_dropout_mask, "recurrent_dropout",
                   _STATE), layer)
        layer.call = types.MethodType(_cell_call(type(layer)), layer)
    elif _drops_in_its_own_way(layer):
        logging.warning(
            "Layer %s is a cell with dropout of its own, which draws cannot use: it is "
            "deterministic at prediction. Use dropout layers inside of it.", layer.name)
    if isinstance(layer, keras.layers.RNN) and any(
            map(is_random, keras_internals.layers(layer))):
        layer.call = types.MethodType(_sequence_call(type(layer)), layer)
        if hasattr(layer, "use_cudnn"):
            layer.inner_loop = types.MethodType(_inner_loop(type(layer)), layer)


def is_random(layer):
    """Whether a layer is a cell of Keras with dropout."""
    # A subclass with its own `call` may use its masks in another way.
    return (hasattr(layer, "get_recurrent_dropout_mask")
            and type(layer).call.__module__.startswith("keras.")
            and any(0.0 < rate < 1.0 for rate in _rates(layer)))


def kept_shares(layer):
    """Share of the prior of each kernel of a cell with dropout, by its id.

    It is 1 - rate, as for a kernel behind a dropout layer.
    """
    if not is_random(layer) or not layer.built:
        return {}
    kernels = layer.kernel, layer.recurrent_kernel
    return {id(kernel): 1.0 - rate for kernel, rate in zip(kernels, _rates(layer))
            if 0.0 < rate < 1.0}


def _rates(cell):
    return cell.dropout, cell.recurrent_dropout


def _drops_in_its_own_way(layer):
    return (hasattr(layer, "state_size") and not isinstance(layer, keras.layers.RNN)
            and not getattr(layer, "stochastic", False)
            and not is_random(layer)
            and any(isinstance(rate, float) and 0.0 < rate < 1.0 for rate in (
                getattr(layer, "dropout", 0), getattr(layer, "recurrent_dropout", 0))))


def _masks(stock, name, part):
    """Masks of a cell: a tensor, or a list with one for each gate."""
    def masks(self, step_input):
        draw = noise.current()
        if draw is None:
            return stock(self, step_input)
        rate = getattr(self, name)
        if not 0.0 < rate < 1.0:
            return None
        return held.once((id(self), part),
                         lambda: _draw(self, draw, part, rate, step_input))
    return masks


def _draw(cell, draw, part, rate, step_input):
    count = getattr(cell, "dropout_mask_count", None)
    shape = (count or 1, *draw.rows(ops.shape(step_input)))
    keep = noise.mask(shape, rate, draw.key_of(cell, part))
    scaled = tf.cast(keep, step_input.dtype) * (1.0 / (1.0 - rate))
    return scaled[0] if count is None else tf.unstack(scaled)


def _cell_call(kind):
    def call(self, inputs, states, training=False):
        draw = noise.current()
        if draw is not None and _folds(self, draw):
            folded = held.once((id(self), "folded"),
                               lambda: _FoldedCell(self, inputs, states))
            return kind.call(folded, inputs, states)
        # Only dropout depends on the mode in a cell of Keras.
        return kind.call(self, inputs, states, training=training or draw is not None)
    return call


def _folds(cell, draw):
    # The masks of a convolution are masks of positions, which its kernel has not.
    return draw.coherent and len(cell.kernel.shape) == 2


class _FoldedCell:
    """Stands for a cell whose masks, the same for all rows, are in its kernels.

        (x * z) W = x (z * W)

    One product for all gates and no products with masks make a step faster.
    """

    implementation = 2  # All gates at once.
    dropout = recurrent_dropout = 0.0

    def __init__(self, cell, inputs, states):
        state = states[0] if isinstance(states, (list, tuple)) else states
        self.cell = cell
        self.kernel = _fold(cell, cell.kernel, cell.get_dropout_mask(inputs))
        self.recurrent_kernel = _fold(cell, cell.recurrent_kernel,
                                      cell.get_recurrent_dropout_mask(state))

    def __getattr__(self, name):
        return getattr(self.cell, name)

    def get_dropout_mask(self, step_input):
        del step_input

    def get_recurrent_dropout_mask(self, step_input):
        del step_input


def _fold(cell, kernel, masks):
    kernel = ops.cast(kernel, cell.compute_dtype)
    if masks is None:
        return kernel
    masks = masks if isinstance(masks, list) else [masks]
    gates = tf.split(kernel, len(masks), axis=1)  # Each [D, units].
    return tf.concat([tf.transpose(mask) * gate
                      for mask, gate in zip(masks, gates)], axis=1)


def _sequence_call(kind):
    def call(self, sequences, initial_state=None, **kwargs):
        draw = noise.current()
        if draw is None:
            return kind.call(self, sequences, initial_state=initial_state, **kwargs)
        # A draw at prediction starts at the stored state, and leaves it as it is.
        restart = self.stateful and draw.coherent
        if restart and initial_state is None:
            initial_state = self.states
        self.stateful = self.stateful and not restart
        try:
            with held.values():
                return kind.call(self, sequences, initial_state=initial_state,
                                 **kwargs)
        finally:
            self.stateful = self.stateful or restart
    return call


def _inner_loop(kind):
    """Loop of LSTM and GRU, whose fast form for GPUs does not call the cell."""
    def inner_loop(self, sequences, initial_state, mask, training=False):
        return kind.inner_loop(self, sequences, initial_state, mask,
                               training=training or noise.current() is not None)
    return inner_loop
