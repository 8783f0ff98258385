"""Initial weights of a new layer of the same config, with seeds of its own.

What does not train keeps its values: frozen layers, and layers that were adapted to
data. A layer that cannot be made from its config is entered: the layers inside get new
weights, and its own weights, whose initialisers nobody knows, stay as they are.
"""

import contextlib
import itertools
import random

import keras
from absl import logging

from bdlzoo.core import keras_internals, noise


def fresh(layer, key, build=None):
    """Draws initial weights, in the order of `layer.weights`.

    Args:
        layer: Built layer or network of Keras; it does not change.
        key: Noise key of the seeds.
        build: Function that builds a layer of the same config by calling it; `None`
            builds it from the shapes that `layer` was built with.
    """
    seeds = _seeds(key)
    values = {id(w): value for w, value in zip(
        layer.weights, _of(layer, seeds, build), strict=True)}
    for part in keras_internals.layers(layer):
        if not part.trainable or hasattr(part, "adapt"):
            values.update((id(w), _numpy(w)) for w in part.weights)
    return [values[id(w)] for w in layer.weights]


def _of(layer, seeds, build):
    twin = _twin(layer, seeds, build)
    if twin is not None:
        return [_numpy(weight) for weight in twin.weights]
    own = keras_internals.own_variables(layer)
    values = {id(weight): _numpy(weight) for weight in own}
    for part in keras_internals.sublayers(layer):
        values.update((id(w), value) for w, value
                      in zip(part.weights, _of(part, seeds, None)))
    if own:
        logging.warning(
            "Layer %s of type %s cannot be made again from its config, so its own "
            "weights (%s) start the same in all copies. Give it a `get_config`.",
            layer.name, type(layer).__name__, ", ".join(w.name for w in own))
    return [values[id(weight)] for weight in layer.weights]


def _seeds(key):
    """As many seeds as are asked for."""
    for block in itertools.count():
        yield from noise.words([256], noise.fold_in(key, block) if block else (
            key)).numpy() >> 1


def _twin(layer, seeds, build):
    """A new layer with weights of the same shapes; `None` if it cannot be made."""
    # Shapes do not build what a custom layer builds when it is called.
    nested = build is not None and keras_internals.sublayers(layer)
    try:
        with _python_seed(int(next(seeds)) if nested else None):
            twin = type(layer).from_config(_reseeded(layer.get_config(), seeds))
            (build if nested else _build_like(layer))(twin)
    except Exception as error:  # Whatever a stranger's layer raises.
        logging.info("Layer %s has no copy: %s", layer.name, error)
        return None
    return twin if _shapes(twin) == _shapes(layer) else None


@contextlib.contextmanager
def _python_seed(seed):
    """Seeds the generator from which initialisers without a seed get theirs."""
    state = random.getstate()
    try:
        if seed is not None:
            random.seed(seed)
        yield
    finally:
        random.setstate(state)


def _build_like(layer):
    return lambda twin: twin.build_from_config(layer.get_build_config())


def _shapes(layer):
    return [tuple(weight.shape) for weight in layer.weights]


def _numpy(weight):
    return keras.ops.convert_to_numpy(weight)


def _reseeded(config, seeds):
    """A config with a new seed for each random part."""
    if isinstance(config, (list, tuple)):
        return type(config)(_reseeded(part, seeds) for part in config)
    if not isinstance(config, dict):
        return config
    return {key: int(next(seeds)) if key == "seed" and not isinstance(value, dict)
            else _reseeded(value, seeds) for key, value in config.items()}
