"""Conversion of a trained network into one with a posterior around its weights.

Chosen layers become variational layers with the trained weights as means, or get
copies, the members of a mixture. The other layers stay points. Dropout is off, since
the posterior replaces it; statistics of BatchNorm are frozen; regularisers are
removed, since the prior is weight decay.
"""

import keras
import numpy as np

from bdlzoo.core import keras_internals, noise
from bdlzoo.families import decay
from bdlzoo.layers.mixture import Mixture
from bdlzoo.layers.variational import Variational
from bdlzoo.surgery import cloning, replacement, selection
from bdlzoo.surgery.bayesianize import bayesianize

POSTERIORS = ("mean_field", "mixture_of_deltas", "mixture_of_gaussians")
_STARTS_AT_ZERO = ("bias", "beta", "moving_mean")
_DROPOUT = (keras.layers.Dropout, keras.layers.GaussianDropout,
            keras.layers.AlphaDropout)


def adapt(network, posterior, select, technique, batch_norm, num_members):
    """Returns the adapted twin of a network; the network does not change.

    Args:
        network: Trained functional or Sequential Keras model.
        posterior: One of `POSTERIORS`.
        select: Layers to adapt, as in `selection.selector`; `None` is all layers
            for a mean field, and the last two for a mixture.
        technique: Technique of `bayesianize`, for a mean field.
        batch_norm: Bool, whether BatchNorm is adapted too, for a mean field.
        num_members: Integer, copies in a mixture.
    """
    if posterior == "mean_field":
        return _still(bayesianize(network, technique, select, batch_norm=batch_norm,
                                  variational_bias=True, verbose=False))
    return _still(_mixed(network, select, num_members,
                         gaussian=posterior == "mixture_of_gaussians"))


def is_adapted(network):
    """Whether a network has a posterior already."""
    return any(isinstance(layer, (Variational, Mixture))
               for layer in keras_internals.layers(network))


def check_trained(network, allow_untrained=False):
    """Raises if a network has no weights, or (unless allowed) initial ones."""
    if not network.built or not network.weights:
        raise ValueError(
            "Expected a trained network: load one with `keras.saving.load_model`, or "
            f"train it first. Received: network {network.name}, which has no weights")
    proof = [w for w in network.weights if w.name in _STARTS_AT_ZERO]
    if proof and not allow_untrained and not any(
            np.any(keras.ops.convert_to_numpy(w)) for w in proof):
        raise ValueError(
            "Expected a trained network: give the file or the run of one (in a "
            "config `--config.pretrained=PATH`), train it first, or give "
            "`allow_untrained=True`. Received: network "
            f"{network.name}, whose biases are all zero, as before training")


def check_scales(network):
    """Raises if scales are not trained by their logarithm."""
    for layer in keras_internals.layers(network):
        if getattr(layer, "scale_transform", "exp") != "exp":
            raise ValueError(
                "Expected posteriors with `scale_transform=\"exp\"`. Received: "
                f"layer {layer.name} with scale_transform="
                f"{layer.scale_transform!r}")


def start_log_scales(network, low, high, seed):
    """Draws all log-scales uniformly between two numbers."""
    scales = [w.log_scale for w in decay.weights(network) if w.log_scale is not None]
    for place, scale in enumerate(scales):
        key = noise.key(seed, noise.INITIAL, place)
        scale.assign(low + (high - low) * noise.uniform(scale.shape, key))


def _mixed(network, select, num_members, gaussian):
    chosen = selection.selector(network, 2 if select is None else select)
    copied = []

    def swap(layer):
        if not chosen(layer):
            return None
        twin = Mixture(cloning.clone(layer, **_changes(layer)), num_members, gaussian)
        copied.append((layer, twin))
        return twin

    twin = replacement.convert(network, swap)
    if not copied:
        raise ValueError(
            "Expected at least one layer to copy: "
            f"{', '.join(kind.__name__ for kind in selection.CONVERTIBLE)}. Received: "
            f"model {network.name} with select={select!r}")
    for layer, mixture in copied:
        mixture.set_members(layer.get_weights())
    return twin


def _still(network):
    """A copy without noise, moving statistics and regularisers.

    They are taken out of the configs, so that a saved network is as still.
    """
    calmed = []

    def calm(layer):
        changes = _changes(layer)
        if not changes:
            return None
        calmed.append((layer, cloning.clone(layer, **changes), changes))
        return calmed[-1][1]

    twin = replacement.convert(network, calm)
    for layer, other, changes in calmed:
        cloning.copy_state(layer, other)
        other.trainable = changes.get("trainable", layer.trainable)
    return twin


def _changes(layer):
    """Values of the config of a layer that make it still."""
    if isinstance(layer, (Variational, Mixture)):
        return {}
    if isinstance(layer, _DROPOUT) and layer.rate:
        return {"rate": 0.0}
    changes = {name: None for name, value in vars(layer).items()
               if name.endswith("_regularizer") and value is not None}
    if isinstance(layer, keras.layers.RNN):
        config = layer.get_config()
        still = _without_noise(config)
        changes = {name: still[name] for name in config if still[name] != config[name]}
    if isinstance(layer, keras.layers.BatchNormalization) and layer.trainable:
        changes["trainable"] = False
    return changes


def _without_noise(config):
    """The config of a recurrent layer, or a part of it; it may hold cells in cells."""
    if isinstance(config, list):
        return [_without_noise(part) for part in config]
    if not isinstance(config, dict):
        return config
    return {name: 0.0 if name in ("dropout", "recurrent_dropout") else
            None if name.endswith("_regularizer") else _without_noise(value)
            for name, value in config.items()}
