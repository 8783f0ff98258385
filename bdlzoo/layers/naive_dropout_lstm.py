"""LSTM with new dropout masks at each time step, the baseline of one mask over time.

    a_q = W_q (x_t * z_xt) + U_q (h_t * z_ht) + b_q,    for each gate q

Each step has masks of its own. A draw is then no set of weights: no posterior over the
weights of a recurrent network has this noise. The variational form is
`keras.layers.LSTM` with `dropout` and `recurrent_dropout`.

Reference: Zaremba et al., Recurrent Neural Network Regularization, 2014 (the inputs);
Gal and Ghahramani, A Theoretically Grounded Application of Dropout in Recurrent Neural
Networks, NeurIPS 2016 (the comparison).
"""

import keras
import tensorflow as tf
from keras import ops

from bdlzoo.core import noise
from bdlzoo.layers.recurrent import start_loop

_GATES = 4


class _Cell(keras.layers.LSTMCell):
    """Cell that finds the masks of a step behind its inputs."""

    stochastic = True

    def call(self, inputs, states, training=False):
        del training  # The scope turns on noise.
        width = self.kernel.shape[0]
        if inputs.shape[-1] == width:
            return super().call(inputs, states)
        hidden, memory = states
        inputs, inside, across = ops.split(
            inputs, (width, width * (1 + _GATES)), axis=-1)
        sums = (self._product(inputs, inside, self.kernel)
                + self._product(hidden, across, self.recurrent_kernel))
        if self.use_bias:
            sums += self.bias
        enter, forget, new, out = ops.split(sums, _GATES, axis=-1)
        memory = (self.recurrent_activation(forget) * memory
                  + self.recurrent_activation(enter) * self.activation(new))
        hidden = self.recurrent_activation(out) * self.activation(memory)
        return hidden, [hidden, memory]

    def get_dropout_mask(self, step_input):
        del step_input  # Keras would draw a mask for all steps.

    def get_recurrent_dropout_mask(self, step_input):
        del step_input

    def _product(self, tensor, masks, kernel):
        """Sums `[B, gates * units]` with a mask of its own for each gate."""
        masked = [tensor * mask for mask in ops.split(masks, _GATES, axis=-1)]
        kernels = ops.split(ops.convert_to_tensor(kernel), _GATES, axis=-1)
        return ops.concatenate(list(map(ops.matmul, masked, kernels)), axis=-1)


@keras.saving.register_keras_serializable(package="bdlzoo")
class NaiveDropoutLSTM(keras.layers.LSTM):
    """Runs `keras.layers.LSTM` with new dropout masks at each step.

    Outside of a draw scope nothing is dropped.

    Args:
        units: Integer, size of the state.
        dropout: Float, probability that an input is dropped at a step.
        recurrent_dropout: Float, probability that a unit of the state is dropped at a
            step.
        **kwargs: Other arguments of `keras.layers.LSTM`, such as `return_sequences`
            and `name`.

    Example:

        NaiveDropoutLSTM(64, dropout=0.25, recurrent_dropout=0.25)
    """

    def __init__(self, units, dropout=0.0, recurrent_dropout=0.0, **kwargs):
        start_loop(self, _Cell, units=units, dropout=dropout,
                   recurrent_dropout=recurrent_dropout, **kwargs)

    def inner_loop(self, sequences, initial_state, mask, training=False):
        draw = noise.current()
        if draw is not None:
            # The loop hands each step its slice of the sequence, and so its masks.
            masks = [self._masks(sequences, rate, width, draw, part)
                     for part, (rate, width) in enumerate((
                         (self.dropout, sequences.shape[-1]),
                         (self.recurrent_dropout, self.units)))]
            sequences = ops.concatenate([sequences, *masks], axis=-1)
        return super().inner_loop(sequences, initial_state, mask, training)

    def _masks(self, sequences, rate, width, draw, part):
        """Masks of all steps, `[B, T, gates * width]`, divided by the rate kept."""
        shape = (*ops.shape(sequences)[:2], _GATES * width)
        if not 0.0 < rate < 1.0:
            return tf.ones(shape, sequences.dtype)
        keep = noise.mask(draw.rows(shape), rate, draw.key_of(self, part))
        scaled = tf.cast(keep, sequences.dtype) * (1.0 / (1.0 - rate))
        return tf.broadcast_to(scaled, shape)
