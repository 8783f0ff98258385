"""Copies of layers and networks in this process: config, weights and tables.

Keras' own way to save a layer is used, without files: `get_config` for what it is,
`save_own_variables` for its weights and statistics, and `save_assets` for tables such
as a vocabulary. So whatever a saved layer keeps, its copy keeps.
"""

import tempfile

import keras
import numpy as np

from bdlzoo.core import keras_internals
from bdlzoo.surgery import walk


def clone(layer, **changes):
    """A new layer with the same config and the same tables; its weights are new.

    Args:
        layer: Layer or operation of Keras.
        **changes: Values of the config to replace, such as `activation="linear"`.

    Raises:
        ValueError: If the layer cannot be made from its config.
    """
    try:
        config = {**layer.get_config(), **changes}
        # The function of a Lambda was made in this process, so it is safe.
        options = {"safe_mode": False} if isinstance(layer, keras.layers.Lambda) else {}
        other = type(layer).from_config(config, **options)
    except Exception as error:  # Whatever a stranger's layer raises.
        raise ValueError(
            "Expected layers that can be copied: give the layer a `get_config` that "
            "returns the arguments of its constructor. Received: layer "
            f"{layer.name} of type {type(layer).__name__}, which cannot be made from "
            f"its config ({type(error).__name__}: {error})") from error
    _copy_tables(layer, other)
    return other


def copy_state(source, target):
    """Copies the weights, statistics and tables of a layer and all layers inside.

    Args:
        source: Built layer or network.
        target: Built layer or network of the same architecture.
    """
    for way, layer in walk.walk(source):
        other = None if way is None else walk.at(target, way)
        if other is not None:
            copy_own(layer, other)
        elif keras_internals.own_variables(layer):
            raise ValueError(
                "Expected the same layers in a copy. Received: layer "
                f"{layer.name} of type {type(layer).__name__}, which the copy of "
                f"{source.name} does not have; hold layers in attributes, lists or "
                "dictionaries, and make them in `__init__` or `build`")


def copy_own(source, target):
    """Copies what one layer holds itself: weights, statistics and tables."""
    if not isinstance(source, keras.layers.Layer):
        return  # Operations hold nothing.
    if target.trainable != source.trainable:  # It may have been frozen later.
        target.trainable = source.trainable
    if keras_internals.own_variables(source):
        store = {}
        source.save_own_variables(store)
        target.load_own_variables({key: np.asarray(value)
                                   for key, value in store.items()})
    _copy_tables(source, target)


def _copy_tables(source, target):
    if not hasattr(source, "get_vocabulary") or not source.get_vocabulary(
            include_special_tokens=False):
        return
    store = {}
    source.save_own_variables(store)  # Weights of words, if it has them.
    target.load_own_variables(store)
    with tempfile.TemporaryDirectory() as folder:
        source.save_assets(folder)
        target.load_assets(folder)
