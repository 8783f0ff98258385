"""Builds the data, the network and the model of a config."""

import inspect
import pathlib

import keras
import numpy as np

from bdlzoo import attacks as _attacks  # noqa: F401  Known by name.
from bdlzoo import data
from bdlzoo import estimators as _estimators  # noqa: F401
from bdlzoo import methods as _methods  # noqa: F401
from bdlzoo import networks as _networks  # noqa: F401
from bdlzoo.core import noise, registry
from bdlzoo.likelihoods import DensityLikelihood
from bdlzoo.model import model_file
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.runs.config import plain
from bdlzoo.surgery.interleaved_network import InterleavedNetwork
from bdlzoo.surgery.stacked_network import StackedNetwork

_AFTER_LOADING = ("class_counts", "image_shape", "labels", "limit", "round")


def load_data(config):
    """Loads the splits of a config, as a dictionary.

    `data.limit` is the largest number of rows of each split. `data.round` makes pixels
    black or white, `data.image_shape` resizes images, and `data.class_counts`, pairs of
    a class and its rows, chooses training rows; other splits then have these classes.
    `data.labels` is the number of training rows that keep their label; the others are
    marked by -1. There is no validation split if `data.validation` is 0.

    Args:
        config: `ConfigDict` that `read_config` returned.

    Example:

        config = bdlzoo.runs.read_config("digits/mc_dropout.py")
        splits = bdlzoo.runs.load_data(config)
    """
    limit, options = config.data.get("limit"), data_options(config)
    names = ["train", "test"]
    if options.get("validation", 0.1):
        names.insert(1, "validation")
    splits = {split: data.load(split=split, **options) for split in names}
    counts = config.data.get("class_counts")
    if counts is not None:
        splits = {split: chosen_classes(rows, counts, split == "train")
                  for split, rows in splits.items()}
    splits = {split: data.Split(*(part[:limit] for part in rows))
              for split, rows in splits.items()}
    shape = config.data.get("image_shape")
    if shape is not None:
        splits = {split: _resized(*rows, shape) for split, rows in splits.items()}
    if config.data.get("round"):
        splits = {split: data.Split(np.round(x), y) for split, (x, y) in splits.items()}
    if config.data.get("labels") is not None:
        x, y = splits["train"]
        splits["train"] = data.Split(x, data.keep_labels(
            y, config.data.labels, config.seed))
    return splits


def _resized(x, y, shape):
    """A `Split` of images of a shape, and of their masks if these are the targets."""
    if y.ndim == 3:
        x, y = data.fit_masks(x, y, shape[:2])
    return data.Split(data.fit_images(x, shape), y)


def data_options(config):
    """Arguments of a config for `bdlzoo.data.load`."""
    return {key: value for key, value in config.data.items()
            if key not in _AFTER_LOADING}


def chosen_classes(rows, counts, train):
    """Rows of some classes, which are numbered from 0 on.

    Args:
        rows: `Split`.
        counts: Pairs of a class and the number of its rows.
        train: Bool, whether these are training rows, which have these numbers; others
            keep all rows of the classes.
    """
    counts = dict(counts)
    if not train:
        counts = {label: int(np.sum(rows.y == label)) for label in counts}
    return data.with_class_counts(*rows, counts)


def load_model(config, input_shape, steps_per_epoch=1, target_std=None, copies=None,
               **compile_options):
    """Builds and compiles the model of a config.

    Args:
        config: `ConfigDict` that `read_config` returned. Its `precision` is one over
            the variance of the noise, in the units of the targets. Its `pretrained`
            is a path for `load_network`, of a network to start from. Keys that end in
            `_optimizer` are further optimisers of the method.
        input_shape: Shape of one row.
        steps_per_epoch: Integer, steps of an epoch, for schedules of the learning
            rate.
        target_std: Float by which the targets were divided; a list of floats with
            `copies`.
        copies: Integer, number of models that are trained side by side on alternating
            rows by an `InterleavedNetwork`; `None` for one model on all rows.
        **compile_options: Arguments of the `compile` of the model.
    """
    # For the initial weights.
    keras.utils.set_random_seed(noise.short_seed(config.seed))
    kind = registry.find(config.method.type)
    if issubclass(kind, PredictiveModel):
        parts = {**_predictive_parts(config, input_shape, target_std, copies),
                 **_further_networks(kind, config, input_shape)}
        compile_options = {"metrics": plain(config).get("metrics"), **compile_options}
    else:
        parts = _other_parts(kind, config, input_shape)
    model = registry.build(plain(config.method), seed=config.seed, **parts)
    total_steps = config.epochs * steps_per_epoch
    # Optimisers for parts of a model, such as a structure.
    others = {name: _optimizer(plain(config[name]), total_steps)
              for name in config if name.endswith("_optimizer")}
    model.compile(
        _optimizer(plain(config.optimizer), total_steps), **others,
        **{"jit_compile": config.get("jit_compile", "auto"), **compile_options})
    model.build((None, *input_shape))
    return model


def _predictive_parts(config, input_shape, target_std, copies):
    """Network and likelihood of a model that predicts labels."""
    _check_sections(config, ("network", "likelihood"))
    network = load_network(config.pretrained) if config.get("pretrained") else (
        registry.build(plain(config.network), input_shape=input_shape))
    likelihood = plain(config.likelihood)
    if config.get("precision") is not None:
        scales = np.reciprocal(np.sqrt(config.precision) * np.asarray(target_std))
        likelihood["noise_scale"] = scales.tolist()
    if copies is not None:
        network = InterleavedNetwork(network, copies, seed=config.seed)
        if "noise_scale" in likelihood:  # Each copy has its own.
            likelihood["copies"] = copies
    likelihood = registry.build(likelihood)
    if copies is not None and isinstance(likelihood, DensityLikelihood):
        raise ValueError(
            "Expected a Gaussian likelihood for models side by side: others would "
            "share what they learn, and their draws cannot be joined. Received: "
            f"likelihood={type(likelihood).__name__}")
    return {"network": network, "likelihood": likelihood}


def _other_parts(kind, config, input_shape):
    """Networks, and the likelihood if there is one, of any other model."""
    parts = _further_networks(kind, config, input_shape)
    if "likelihood" in config:
        parts["likelihood"] = registry.build(plain(config.likelihood))
    return parts


def _further_networks(kind, config, input_shape):
    """Networks that a model has besides the one that predicts labels."""
    _check_sections(config, kind.config_sections)
    networks = kind.network_arguments(plain(config), tuple(input_shape))
    return {name: registry.build(plain(config[name]), **arguments)
            for name, arguments in networks.items()}


def _check_sections(config, wanted):
    """Raises an error if a config is for another kind of model."""
    missing = [name for name in wanted if name not in config]
    if missing:
        raise ValueError(
            f"Expected a config for {config.method.type}, with {', '.join(wanted)}: "
            "take one that `bdlzoo list configs` shows for this method. Received: one "
            f"without {', '.join(missing)}, with {', '.join(sorted(config))}")


def load_network(path):
    """Loads the network of a trained model.

    Args:
        path: File of any model that Keras saved, or the folder of a run.

    Returns:
        `keras.Model`; for a model of the zoo, the network inside of it.
    """
    path = pathlib.Path(path)
    file = path / "model.keras" if path.is_dir() else path
    model = model_file.load(
        file, "the file of a trained Keras model, or the folder of a finished run",
        "Give another one as --config.pretrained.")
    network = model.network if isinstance(model, PredictiveModel) else model
    if isinstance(network, (StackedNetwork, InterleavedNetwork)):
        raise ValueError(
            "Expected one network. Save one of them first, such as `member(0)` of an "
            f"ensemble. Received: pretrained={path}, a {type(model).__name__}")
    return network


def _optimizer(spec, total_steps):
    """Optimiser of a spec; its learning rate may be the spec of a schedule."""
    rate = spec.get("learning_rate")
    if hasattr(rate, "items"):
        kind = registry.find(rate["type"], keras.optimizers.schedules)
        takes = inspect.signature(kind).parameters
        length = {"decay_steps": total_steps} if "decay_steps" in takes else {}
        spec = {**spec, "learning_rate": registry.build(
            rate, keras.optimizers.schedules, **length)}
    return registry.build(spec, keras.optimizers)
