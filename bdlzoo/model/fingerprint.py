"""What a model is, as JSON: files carry it, and are refused by other models.

    method      class and its settings
    network     layers with their shapes and settings
    optimizer   of each kind, with its settings
    seed        of the noise
    version     of the package; another one alone is no reason to refuse a file
    config      of the run, if there is one
"""

import hashlib
import importlib.metadata
import json

import keras
from absl import logging

from bdlzoo.core import keras_internals
from bdlzoo.core.differences import differences

# Settings that may change between two parts of one training.
_FREE = {"name", "num_samples", "num_data", "sample_file", "trainable", "dtype", "seed"}
_PLAIN = (str, int, float, bool, type(None))


def fingerprint(model):
    """Facts about a built and compiled model, as a dictionary for JSON.

    Args:
        model: `StochasticModel`.
    """
    config = model.run_config
    return {"method": {"type": type(model).__name__, **_settings(model)},
            "network": [_layer(layer) for layer in keras_internals.layers(model)],
            "optimizer": {name: _optimizer(getattr(model, name))
                          for name in model.optimizer_names if model.compiled},
            "seed": model.seed, "version": version(),
            "config": None if config is None else json.loads(config)}


def short(model):
    """Facts about a model in few bytes, with a digest of the network."""
    facts = fingerprint(model)
    return {"method": facts["method"]["type"], "network": digest(facts["network"]),
            "optimizer": ",".join(o["type"] for o in facts["optimizer"].values()),
            "seed": facts["seed"], "version": facts["version"]}


def version():
    """Version of the package."""
    return importlib.metadata.version("bdlzoo")


def digest(content):
    """Twelve digits that differ between any two JSON values."""
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def rates(model):
    """Learning rates that are numbers, which a callback may have changed."""
    return {name: found["learning_rate"]
            for name, found in fingerprint(model)["optimizer"].items()
            if isinstance(found.get("learning_rate"), float)}


def check(there, here, path):
    """Raises an error with what differs between two fingerprints.

    Args:
        there: Facts of a file.
        here: Facts of this model.
        path: Path of the file.

    Raises:
        ValueError: If more than the version of the package differs.
    """
    there, here = dict(there), json.loads(json.dumps(here))
    versions = there.pop("version", None), here.pop("version", None)
    known = {key: here[key] for key in here if there.get(key) is not None}
    found = list(differences({key: there[key] for key in known}, known))
    if found:
        raise ValueError(f"it is of another model: {'; '.join(found[:4])}"
                         + f"; and {len(found) - 4} more" * (len(found) > 4))
    if versions[0] != versions[1]:
        logging.warning("%s was written by bdlzoo %s; this is bdlzoo %s.", path,
                        *versions)


def _settings(model):
    """Settings of the method that are plain values."""
    try:
        config = model.get_config()
    except (NotImplementedError, TypeError, ValueError):
        return {}  # The network of a user may have no config.
    return {key: value for key, value in config.items()
            if key not in _FREE and isinstance(value, _PLAIN)}


def _layer(layer):
    """Type, shapes and settings of a layer, without its name."""
    weights = [list(w.shape) for w in keras_internals.own_variables(layer)]
    return {"type": type(layer).__name__, "shapes": weights,
            "settings": {} if keras_internals.sublayers(layer) else _of_layer(layer)}


def _of_layer(layer):
    try:
        return _plain(layer.get_config())
    except (NotImplementedError, TypeError, ValueError):
        return {}


def _optimizer(optimizer):
    if hasattr(optimizer, "inner_optimizer"):  # Of mixed precision.
        optimizer = optimizer.inner_optimizer
    return {"type": type(optimizer).__name__, **_plain(optimizer.get_config())}


def _plain(value):
    """Plain values of a config; names differ between processes and are left out."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()
                if key not in ("name", "shared_object_id")}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, keras.Variable):
        return None
    return value if isinstance(value, _PLAIN) else type(value).__name__
