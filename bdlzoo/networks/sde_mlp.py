"""Multilayer perceptron with a stochastic flow before its output layer.

    h_0 = dense(activation(...(flatten(x))))     one for each size in `hidden`
    h_T = SDEFlow(h_0)                           drift f, diffusion g
    y   = dense(h_T)                             raw: logits, or means

    f = relu(dense([h, t]))
    g = diffusion_scale * sigmoid(dense([h, t]))                  at every step
    g = diffusion_scale * sigmoid(dense(relu(dense([h_0, 0]))))   held, SDE-Net's

The drift is Lipschitz continuous, and the diffusion is also bounded, so that the
equation has one solution. Where it is small, a sigmoid is nearly a softplus, but it has
an upper bound. At the start g is about a tenth of its scale, because more noise would
disturb the learning of the drift.

Reference: Kong, Sun and Zhang, SDE-Net, ICML 2020.
"""

import math

import keras

from bdlzoo.core import registry
from bdlzoo.layers import SDEFlow
from bdlzoo.networks import blocks

_START = 0.1  # Diffusion at the start, before its scale.
_DIFFUSIONS = ("state", "scalar", "held")


@registry.register
def SDEMLP(input_shape, hidden=(), state=50, outputs=10, activation="relu",
           dropout=0.0, diffusion="state", diffusion_scale=1.0, num_steps=4,
           total_time=4.0, antithetic=True):
    """Builds a multilayer perceptron with an `SDEFlow` before its output layer.

    Args:
        input_shape: Tuple of integers, shape of one input; inputs of higher
            rank are flattened.
        hidden: Tuple of integers, sizes of the hidden layers of the encoder.
        state: Integer, width of the states of the flow.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer of the encoder.
        dropout: Rate in [0, 1), or spec of a dropout layer, after every hidden
            layer of the encoder and before the output layer; 0 for none.
        diffusion: `"state"`, a number for each unit of the state at every step;
            `"scalar"`, one number for all units at every step; `"held"`, one number
            for all units and steps, from a network with 100 hidden units.
        diffusion_scale: Float, upper bound of the diffusion.
        num_steps: Integer, number of steps of the flow.
        total_time: Float, time at the end of the flow.
        antithetic: Bool, whether paths 2i and 2i + 1 have opposite noise.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = SDEMLP((90,), outputs=2, diffusion="held", diffusion_scale=0.5)
    ```
    """
    input_shape = blocks.check_sizes("input_shape", input_shape)
    hidden = blocks.check_sizes("hidden", hidden, least=0)
    [state] = blocks.check_sizes("state", (state,))
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    if diffusion not in _DIFFUSIONS:
        raise ValueError(f"Expected one of {_DIFFUSIONS}. Received: "
                         f"diffusion={diffusion!r}")

    x = inputs = keras.Input(input_shape)
    if len(input_shape) > 1:
        x = keras.layers.Flatten()(x)
    for units in hidden:
        x = keras.layers.Dense(units, activation=activation)(x)
        x = blocks.drop(x, dropout)
    x = keras.layers.Dense(state)(x)
    x = SDEFlow(
        keras.layers.Dense(state, activation="relu"), _diffusion(diffusion, state),
        num_steps=num_steps, total_time=total_time, diffusion_scale=diffusion_scale,
        hold_diffusion=diffusion == "held", antithetic=antithetic)(x)
    x = blocks.drop(x, dropout)
    return keras.Model(inputs, keras.layers.Dense(outputs)(x), name="sde_mlp")


def _diffusion(kind, state):
    """The network of the diffusion, a sigmoid that is near `_START` at the start."""
    start = keras.initializers.Constant(math.log(_START) - math.log1p(-_START))
    if kind != "held":
        return keras.layers.Dense(
            state if kind == "state" else 1, activation="sigmoid",
            kernel_initializer="zeros", bias_initializer=start)
    return keras.Sequential([
        keras.Input((state + 1,)), keras.layers.Dense(100, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid", bias_initializer=start)])
