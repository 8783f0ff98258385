"""GRU layers with a posterior over their kernels, one for each technique."""

import keras
from keras import ops

from bdlzoo.layers.dense import DenseFlipout, DenseReparameterization
from bdlzoo.layers.recurrent import VariationalCell, VariationalRNN

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class _Cell(VariationalCell, keras.layers.GRUCell):
    num_gates = 3

    @property
    def recurrent_bias(self):
        return self.use_bias and self.reset_after

    def step(self, sums, state):
        update, reset, new = ops.split(sums, 3, axis=-1)
        past_update, past_reset, past = ops.split(
            self.recurrent_sums(state), 3, axis=-1)
        update = self.recurrent_activation(update + past_update)
        reset = self.recurrent_activation(reset + past_reset)
        if self.reset_after:
            past *= reset
        else:
            *_, past = ops.split(self.recurrent_sums(reset * state), 3, axis=-1)
        state = update * state + (1.0 - update) * self.activation(new + past)
        return state, [state]


@_register
class GRUReparameterization(VariationalRNN, keras.layers.GRU):
    """Runs `keras.layers.GRU` with one weight draw for the batch.

    A draw holds for all steps of a sequence. The layers `cell.input_map` and
    `cell.recurrent_map` hold the posteriors, each with `kernel_scale()` and `kl()`.

    Args:
        units: Integer, size of the state.
        activation: Name or callable, applied to the new state.
        recurrent_activation: Name or callable, applied to the gates.
        use_bias: Bool, whether a bias is added to the sums.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(units)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.GRU`, such as `return_sequences`
            and `name`. Dropout has the same mask for all gates.

    Example:

        GRUReparameterization(64, return_sequences=True)
    """

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid",
                 use_bias=True, *, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(
            _Cell, DenseReparameterization, units=units, activation=activation,
            recurrent_activation=recurrent_activation, use_bias=use_bias,
            prior_scale=prior_scale, prior=prior, init_scale=init_scale,
            scale_transform=scale_transform, variational_bias=variational_bias,
            **kwargs)


@_register
class GRUFlipout(VariationalRNN, keras.layers.GRU):
    """Runs `keras.layers.GRU` with one weight draw and signs for each row.

    A draw holds for all steps of a sequence. The layers `cell.input_map` and
    `cell.recurrent_map` hold the posteriors, each with `kernel_scale()` and `kl()`.

    Args:
        units: Integer, size of the state.
        activation: Name or callable, applied to the new state.
        recurrent_activation: Name or callable, applied to the gates.
        use_bias: Bool, whether a bias is added to the sums.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(units)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.GRU`, such as `return_sequences`
            and `name`. Dropout has the same mask for all gates.

    Example:

        GRUFlipout(64, return_sequences=True)
    """

    def __init__(self, units, activation="tanh", recurrent_activation="sigmoid",
                 use_bias=True, *, prior_scale=1.0, prior=None, init_scale=0.01,
                 scale_transform="exp", variational_bias=False, **kwargs):
        super().__init__(
            _Cell, DenseFlipout, units=units, activation=activation,
            recurrent_activation=recurrent_activation, use_bias=use_bias,
            prior_scale=prior_scale, prior=prior, init_scale=init_scale,
            scale_transform=scale_transform, variational_bias=variational_bias,
            **kwargs)
