"""Parts of architectures: layers from specs, dropout, and checks of shapes.

A spec is `None` for the layer of Keras, a name or a dictionary for
`bdlzoo.core.registry`, or a callable that makes the layer:

    None                                            keras.layers.Dense
    {"type": "DenseFlipout", "prior_scale": 1.0}    a layer of the zoo
    lambda units, **kwargs: Dense(units, **kwargs)  anything else
"""

import numbers
import typing

import keras

from bdlzoo.core import registry
from bdlzoo.layers import ConcreteDropout, SpatialConcreteDropout


def dense(spec, units, activation=None):
    """Returns the dense layer of a spec."""
    return _layer(spec, "Dense", units=units, activation=activation)


def convolution(spec, filters, kernel_size, strides=1):
    """Returns the convolution of a spec, padded and without a bias."""
    return _layer(spec, "Conv2D", filters=filters, kernel_size=kernel_size,
                  strides=strides, padding="same", use_bias=False,
                  kernel_initializer="he_normal")


def _layer(spec, stock, **arguments):
    if isinstance(spec, keras.layers.Layer):
        raise ValueError(
            "Expected a spec or a callable that makes a new layer for every place in "
            f"the network, and not a layer. Received: layer={spec.name}")
    if callable(spec):
        size = arguments.pop("units" if stock == "Dense" else "filters")
        return spec(size, **arguments)
    return registry.build(stock if spec is None else spec, keras.layers,
                          **arguments)


def drop(x, dropout):
    """Applies dropout to `x`; at rate 0 no layer is added.

    Args:
        x: Symbolic tensor.
        dropout: Rate, or spec of a layer, such as
            `{"type": "GaussianDropout", "rate": 0.1}`, or
            `{"type": "ConcreteDropout"}` for a rate that is learnt.

    Returns:
        Symbolic tensor.
    """
    if isinstance(dropout, numbers.Real):
        dropout = {"type": "Dropout", "rate": dropout}
    if not hasattr(dropout, "get"):
        raise ValueError(
            "Expected dropout as a rate, or as a dictionary with `type` and "
            f"`rate`. Received: dropout={dropout!r}")
    rate = dropout.get("rate")
    # A spec without a rate is a layer with its own rate, perhaps a learnt one.
    if rate is not None and not 0 <= rate < 1:
        raise ValueError("Expected a dropout rate in [0, 1). "
                         f"Received: rate={rate}")
    if rate == 0:
        return x
    layer = registry.build(dropout, keras.layers)
    if isinstance(layer, keras.layers.SpatialDropout2D) and len(x.shape) == 2:
        # A flat feature is a channel with one pixel, so plain dropout is the same.
        layer = keras.layers.Dropout(layer.rate)
    if isinstance(layer, SpatialConcreteDropout) and len(x.shape) == 2:
        layer = ConcreteDropout(layer.initial_rate)
    return layer(x)


def head(x, hidden, outputs, activation, early, dropout, layer, output_layer):
    """Adds hidden dense layers and the output layer, which has no activation.

    Args:
        x: Symbolic tensor.
        hidden: Tuple of integers, sizes of the hidden layers.
        outputs: Integer, size of the output layer.
        activation: Name or callable, after every hidden layer.
        early: Dropout after every hidden layer but the last.
        dropout: Dropout before the output layer.
        layer: Spec of the hidden layers.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        Symbolic tensor.
    """
    for place, units in enumerate(hidden, start=1):
        x = dense(layer, units, activation)(x)
        x = drop(x, dropout if place == len(hidden) else early)
    return dense(layer if output_layer is None else output_layer, outputs)(x)


def pixel_outputs(x, outputs, spec=None):
    """Adds the raw outputs of each pixel, a convolution of 1 x 1 with a bias.

    Args:
        x: Symbolic tensor `[B, H, W, C]`.
        outputs: Integer, number of outputs of a pixel.
        spec: Spec of the convolution.

    Returns:
        Symbolic tensor `[B, H, W, outputs]`.
    """
    [outputs] = check_sizes("outputs", (outputs,))
    return _layer(spec, "Conv2D", filters=outputs, kernel_size=1)(x)


def convolved(x, filters, repeats=2, spec=None):
    """Adds convolutions of 3 x 3, each with BatchNorm and ReLU.

    Args:
        x: Symbolic tensor `[B, H, W, C]`.
        filters: Integer, filters of each convolution.
        repeats: Integer, number of convolutions.
        spec: Spec of the convolutions.
    """
    for _ in range(repeats):
        x = convolution(spec, filters, 3)(x)
        # Few steps train these networks, so that averages must follow quickly.
        x = keras.layers.BatchNormalization(momentum=0.9)(x)
        x = keras.layers.ReLU()(x)
    return x


def sized_like(x, other):
    """Cuts rows and columns off at the end, or adds zeros, to fit another tensor.

    Sides that 2 does not divide are halved upwards, so that they come back too large.

    Args:
        x: Symbolic tensor `[B, H, W, C]`.
        other: Symbolic tensor whose height and width the result has.
    """
    gaps = [have - want for have, want in zip(x.shape[1:3], other.shape[1:3])]
    cut, added = ([(0, max(0, sign * gap)) for gap in gaps] for sign in (1, -1))
    if any(map(sum, cut)):
        x = keras.layers.Cropping2D(cut)(x)
    return keras.layers.ZeroPadding2D(added)(x) if any(map(sum, added)) else x


def central(levels):
    """Bools of the levels of an encoder, from the largest: the inner half is true."""
    return [2 * level >= levels for level in range(levels)]


class Stage(typing.NamedTuple):
    """One convolution, and the pooling after it if there is one."""

    filters: int
    kernel_size: int = 5
    padding: str = "valid"
    pooled: bool = True
    bent: bool = True  # Whether an activation follows.
    strides: int = 1


def convolutional(name, input_shape, minimum, stages, hidden, outputs=10,
                  activation="relu", dropout=0.0, dropout_at="last", conv=None,
                  layer=None, output_layer=None):
    """Builds a convolutional network from its table of stages.

    Args:
        name: Name of the network.
        input_shape: Tuple of integers, `(height, width, channels)`.
        minimum: Integer, smallest side of an image that the layers can process.
        stages: Tuple of `Stage`, the convolutions.
        hidden: Tuple of integers, sizes of the hidden dense layers.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every hidden layer with an activation.
        dropout: Rate in [0, 1), or spec of a dropout layer; 0 for none; or a pair of
            them, one for the poolings and one for the dense layers.
        dropout_at: `"last"`, only before the output layer; `"all"`, after every
            pooling and every hidden dense layer.
        conv: Spec of the convolutions: `None`, a name, a dictionary or a callable.
        layer: Spec of the dense layers.
        output_layer: Spec of the output layer; `None` is the same as `layer`.

    Returns:
        A functional `keras.Model`.
    """
    input_shape = check_image(input_shape, minimum)
    [outputs] = check_sizes("outputs", (outputs,))
    check_choice(dropout_at, "last", "all")
    pair = dropout if isinstance(dropout, (tuple, list)) else (dropout,) * 2
    if len(pair) != 2:
        raise ValueError("Expected one dropout, or a pair of them. "
                         f"Received: dropout={dropout}")
    early = pair if dropout_at == "all" else (0.0, 0.0)
    x = inputs = keras.Input(input_shape)
    for stage in stages:
        bend = activation if stage.bent else None
        x = _layer(conv, "Conv2D", filters=stage.filters, activation=bend,
                   kernel_size=stage.kernel_size, padding=stage.padding,
                   strides=stage.strides)(x)
        if stage.pooled:
            x = drop(keras.layers.MaxPooling2D(2)(x), early[0])
    x = keras.layers.Flatten()(x)
    x = head(x, hidden, outputs, activation, early[1], pair[1], layer, output_layer)
    return keras.Model(inputs, x, name=name)


def check_choice(dropout_at, *choices):
    """Raises a `ValueError` if `dropout_at` is not one of the choices."""
    if dropout_at not in choices:
        raise ValueError(
            f"Expected `dropout_at` to be one of {choices}. "
            f"Received: dropout_at={dropout_at!r}")


def check_rates(**rates):
    """Raises a `ValueError` if a rate is not a number in [0, 1)."""
    for name, rate in rates.items():
        if not isinstance(rate, numbers.Real) or not 0 <= rate < 1:
            raise ValueError(f"Expected a rate in [0, 1). Received: {name}={rate!r}")


def check_sizes(name, sizes, least=1):
    """Returns sizes as a tuple of at least `least` positive integers."""
    if not isinstance(sizes, (tuple, list)) or len(sizes) < least or not all(
            isinstance(size, numbers.Integral) and size > 0 for size in sizes):
        raise ValueError(
            f"Expected `{name}` to be a tuple of at least {least} positive integers. "
            f"Received: {name}={sizes!r}")
    return tuple(int(size) for size in sizes)


def check_image(input_shape, minimum=1):
    """Returns the shape of images, whose sides must be at least `minimum`."""
    input_shape = check_sizes("input_shape", input_shape)
    if len(input_shape) != 3:
        raise ValueError(
            "Expected the shape of an image, (height, width, channels); use "
            f"MLP for flat inputs. Received: input_shape={input_shape}")
    if min(input_shape[:2]) < minimum:
        raise ValueError(
            f"Expected an image of at least {minimum} x {minimum} pixels for the "
            "convolutions of this network; pad it, or use a smaller network. "
            f"Received: input_shape={input_shape}")
    return input_shape
