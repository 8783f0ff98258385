"""Conversion of a Keras model into a Bayesian one.

    kernel  ->  N(kernel, scale**2)

Layers with a variational form in the zoo are replaced by it, with the same config and
the old weights as means, also inside of custom layers such as blocks of a transformer;
all other layers are copied. With the noise off the copy computes what the model does,
which is checked.
"""

import keras
from keras import ops

from bdlzoo import layers as zoo_layers
from bdlzoo.core import keras_internals
from bdlzoo.layers.prior import Prior
from bdlzoo.layers.recurrent import VariationalRNN
from bdlzoo.surgery import probe, replacement, selection

TECHNIQUES = ("flipout", "reparameterization", "local_reparameterization",
              "exemplar", "variational_dropout")
# The prior replaces them; both together would shrink the weights twice.
_REGULARIZERS = ("kernel_regularizer", "recurrent_regularizer",
                 "depthwise_regularizer", "embeddings_regularizer",
                 "gamma_regularizer", "beta_regularizer")


def bayesianize(model, technique="flipout", select=None, moped=None, verbose=True,
                batch_norm=False, **options):
    """Returns a Bayesian copy of a model; the model does not change.

    Args:
        model: Functional or Sequential Keras model, nested ones and custom layers
            included.
        technique: One of `"flipout"`, `"reparameterization"`,
            `"local_reparameterization"`, `"exemplar"`, `"variational_dropout"`. With
            `select=None`, layers that do not have it use Flipout; all techniques but
            the last have the same posterior.
        select: Layers to convert: a layer class, a name, a list of them, a function
            of a layer that returns a bool, or an integer for the last so many
            layers; `None` is all layers that have a variational form and are not
            frozen.
        moped: Float, scale of each posterior relative to its weight, with priors
            centred at the weights; `None` starts all scales at `init_scale`.
        verbose: Bool, whether to print the converted layers.
        batch_norm: Bool, whether `BatchNormalization` is converted too: its
            statistics are frozen, its scale gets a posterior. For the techniques
            `"flipout"` and `"exemplar"`.
        **options: Arguments of the variational layers: `prior_scale` (float),
            `prior` (a prior of `bdlzoo.layers`, by name or spec), `init_scale`
            (float), `scale_transform` (`"exp"` or `"softplus"`) and
            `variational_bias` (bool).

    Returns:
        Keras model with the topology of the old one, and its weights as means.

    Reference: Krishnan et al., Specifying Weight Priors in Bayesian Deep Neural
    Networks with Empirical Bayes, AAAI 2020 (MOPED).

    Example:

        twin = bdlzoo.bayesianize(network, technique="flipout")
    """
    if technique not in TECHNIQUES:
        raise ValueError(f"Expected a technique of {TECHNIQUES}. Received: "
                         f"technique={technique!r}")
    if moped is not None and moped <= 0:
        raise ValueError("Expected a positive share of the weights. Received: "
                         f"moped={moped}")
    if moped is not None and "prior" not in options:
        scale = options.get("prior_scale", 1.0)
        options["prior"] = {"type": "NormalPrior", "scale": scale,
                            "at_weights": True}
    kinds = selection.CONVERTIBLE
    if batch_norm:
        kinds = (*kinds, keras.layers.BatchNormalization)
    chosen = selection.selector(model, select, kinds)
    converted = []

    def swap(layer):
        # A frozen layer would have noise that nothing trains.
        if not chosen(layer) or (select is None and not layer.trainable):
            return None
        asked = select is not None or isinstance(
            layer, keras.layers.BatchNormalization)
        twin = _twin(layer, technique, options, lenient=not asked)
        converted.append((layer, twin))
        return twin

    twin = replacement.convert(model, swap)
    if not converted:
        raise ValueError(
            "Expected at least one layer to convert: "
            f"{', '.join(kind.__name__ for kind in kinds)}. Received: "
            f"model {model.name} with select={select!r}")
    for layer, other in converted:
        _copy(layer, other, moped)
    _check_same(model, twin)
    if verbose:
        print(_report(twin, converted, technique))
    return twin


def _twin(layer, technique, options, lenient):
    # All but variational dropout have the same posterior, and differ in its noise.
    lenient = lenient and technique != "variational_dropout"
    names = [type(layer).__name__ + name.title().replace("_", "")
             for name in ((technique, "flipout") if lenient else (technique,))]
    known = [name for name in names if hasattr(zoo_layers, name)]
    if not known:
        raise ValueError(
            f"Expected a technique that {type(layer).__name__} has. Leave the layer "
            "out of `select`, or use another technique. Received: "
            f"technique={technique!r} for layer {layer.name}")
    config = {key: value for key, value in layer.get_config().items()
              if key not in _REGULARIZERS}
    prior = options.get("prior")
    if isinstance(prior, keras.layers.Layer):  # Each layer needs its own.
        options = {**options, "prior": type(prior).from_config(prior.get_config())}
    return getattr(zoo_layers, known[0])(**_objects(config), **options)


def _objects(config):
    """Config with new initialisers, constraints and policies."""
    return {key: keras.saving.deserialize_keras_object(value)
            if isinstance(value, dict) else value for key, value in config.items()}


def _copy(layer, other, moped):
    """Copies the weights of a layer to its twin, and to priors centred there."""
    for part, (kernel, bias) in zip(_maps(other), _weights(layer), strict=True):
        _copy_map(kernel, bias, part, moped)
    if isinstance(layer, keras.layers.BatchNormalization):
        other.moving_mean.assign(layer.moving_mean)
        other.moving_variance.assign(layer.moving_variance)


def _maps(layer):
    """Layers that hold the posteriors of a variational layer, often only itself."""
    return layer.maps() if isinstance(layer, VariationalRNN) else [layer]


def _copy_map(kernel, bias, other, moped):
    other.kernel.assign(kernel)
    means = [(other.prior, other.kernel)]
    if bias is not None:
        other.bias.assign(bias)
        if other.variational_bias:
            means.append((other.bias_prior, other.bias))
    for prior, mean in means:
        if getattr(prior, "at_weights", False):
            prior.loc.assign(mean)
    if moped is not None:
        # A weight of zero would have scale zero: it gets that of a small weight.
        size = ops.convert_to_numpy(ops.abs(other.kernel))
        other.set_kernel_scale(moped * size.clip(min=1e-6 + 1e-3 * size.mean()))


def _weights(layer):
    """Weights of a layer that become the means of kernels and their biases."""
    if isinstance(layer, keras.layers.Embedding):
        return [(layer.embeddings, None)]
    if isinstance(layer, keras.layers.BatchNormalization):
        return [(layer.gamma, layer.beta)]
    if isinstance(layer, keras.layers.RNN):
        cell = layer.cell
        # A GRU may have a bias for the inputs and another one for the state.
        two = cell.use_bias and len(cell.bias.shape) == 2
        biases = ops.unstack(cell.bias) if two else (cell.bias, None)
        return list(zip((cell.kernel, cell.recurrent_kernel), biases))
    return [(layer.kernel, layer.bias)]


def _check_same(model, twin):
    """Raises if a custom layer uses the layers inside in a way that was broken."""
    gap = probe.gap(model, twin)
    if gap > 1e-3:
        raise ValueError(
            "Expected a network that calls the layers inside of its custom layers. "
            "Leave the layers of such a custom layer out of `select`. Received: "
            f"{model.name}, whose copy without noise computes something else, by "
            f"{gap:.2g} of its outputs")


def _report(twin, converted, technique):
    seen = {id(other): (layer, other) for layer, other in converted}.values()
    kept = [layer.name for layer in keras_internals.layers(twin)
            if any(w.trainable for w in keras_internals.own_variables(layer))
            and not hasattr(layer, "kernel_scale") and not isinstance(layer, Prior)]
    count = sum(part.kernel.shape.num_elements() for _, other in seen
                for part in _maps(other))
    lines = [f"Converted {len(seen)} layers of {twin.name} ({technique}, "
             f"{count:,} weights have a posterior):"]
    lines += [f"  {layer.name} ({type(layer).__name__} -> {type(other).__name__})"
              for layer, other in seen]
    if kept:
        lines.append(f"Kept with point weights: {', '.join(kept)}")
    return "\n".join(lines)
