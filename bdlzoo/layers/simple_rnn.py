"""Simple recurrent layers with a posterior over their kernels."""

import keras

from bdlzoo.layers.dense import DenseFlipout, DenseReparameterization
from bdlzoo.layers.recurrent import VariationalCell, VariationalRNN

_register = keras.saving.register_keras_serializable(package="bdlzoo")


class _Cell(VariationalCell, keras.layers.SimpleRNNCell):
    def step(self, sums, state):
        state = self.activation(sums + self.recurrent_sums(state))
        return state, [state]


@_register
class SimpleRNNReparameterization(VariationalRNN, keras.layers.SimpleRNN):
    """Runs `keras.layers.SimpleRNN` with one weight draw for the batch.

    A draw holds for all steps of a sequence. The layers `cell.input_map` and
    `cell.recurrent_map` hold the posteriors, each with `kernel_scale()` and `kl()`.

    Args:
        units: Integer, size of the state.
        activation: Name or callable, applied to the new state.
        use_bias: Bool, whether a bias is added to the sums.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(units)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.SimpleRNN`, such as
            `return_sequences` and `name`.

    Example:

        SimpleRNNReparameterization(64, return_sequences=True)
    """

    def __init__(self, units, activation="tanh", use_bias=True, *, prior_scale=1.0,
                 prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(
            _Cell, DenseReparameterization, units=units, activation=activation,
            use_bias=use_bias, prior_scale=prior_scale, prior=prior,
            init_scale=init_scale, scale_transform=scale_transform,
            variational_bias=variational_bias, **kwargs)


@_register
class SimpleRNNFlipout(VariationalRNN, keras.layers.SimpleRNN):
    """Runs `keras.layers.SimpleRNN` with one weight draw and signs for each row.

    A draw holds for all steps of a sequence. The layers `cell.input_map` and
    `cell.recurrent_map` hold the posteriors, each with `kernel_scale()` and `kl()`.

    Args:
        units: Integer, size of the state.
        activation: Name or callable, applied to the new state.
        use_bias: Bool, whether a bias is added to the sums.
        prior_scale: Float, standard deviation of the zero-mean normal prior.
        prior: Name, spec or `Prior`; `None` is the normal prior of `prior_scale`.
        init_scale: Float, standard deviation of the posterior at the start. Keep it
            well below `1 / sqrt(units)`, or the noise hides the signal.
        scale_transform: `"exp"` or `"softplus"`, the function from the trained weight
            to the standard deviation.
        variational_bias: Bool, whether the bias has a posterior too. Otherwise it is a
            plain weight without a prior.
        **kwargs: Other arguments of `keras.layers.SimpleRNN`, such as
            `return_sequences` and `name`.

    Example:

        SimpleRNNFlipout(64, return_sequences=True)
    """

    def __init__(self, units, activation="tanh", use_bias=True, *, prior_scale=1.0,
                 prior=None, init_scale=0.01, scale_transform="exp",
                 variational_bias=False, **kwargs):
        super().__init__(
            _Cell, DenseFlipout, units=units, activation=activation,
            use_bias=use_bias, prior_scale=prior_scale, prior=prior,
            init_scale=init_scale, scale_transform=scale_transform,
            variational_bias=variational_bias, **kwargs)
