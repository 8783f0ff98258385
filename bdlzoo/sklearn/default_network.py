"""Networks for rows of a table: the one that is asked for, or a small perceptron."""

import keras
import numpy as np

from bdlzoo import networks as _networks  # noqa: F401  Known by name.
from bdlzoo.core import initial_weights, noise, registry
from bdlzoo.families.dropout_model import DropoutModel
from bdlzoo.families.path_model import PathModel
from bdlzoo.families.structure_model import StructureModel
from bdlzoo.methods import MeanFieldVI, PACBayes, SDENet
from bdlzoo.surgery.stacked_network import twin

_SIZES = (64, 64)
_RATE = 0.1  # Of dropout. A small network loses much at 0.5.


def default_network(kind, row_shape, outputs):
    """A perceptron with the layers that a method needs.

    Args:
        kind: Class of the method.
        row_shape: Shape of one row.
        outputs: Integer, number of raw outputs.
    """
    spec = {"type": "MLP", "hidden": _SIZES, "dropout": 0.0}
    if issubclass(kind, DropoutModel):
        spec["dropout"] = _RATE
    elif issubclass(kind, (MeanFieldVI, PACBayes)):
        spec["layer"] = "DenseFlipout"
    elif issubclass(kind, PathModel):
        spec = {"type": "SDEMLP", "hidden": _SIZES[:1]}
        if issubclass(kind, SDENet):
            spec["diffusion"] = "held"
    elif issubclass(kind, StructureModel):
        spec = {"type": "CellMLP"}
    return registry.build(spec, input_shape=row_shape, outputs=outputs)


def network_of(spec, kind, row_shape, outputs, seed):
    """A new network for a fit.

    Args:
        spec: `None` for the default; name or dictionary of a network of
            `bdlzoo.networks`; function of the shape of a row and the number of outputs;
            or Keras model, whose copy starts from the weights that it has.
        kind: Class of the method.
        row_shape: Shape of one row.
        outputs: Integer, number of raw outputs that the likelihood needs.
        seed: Integer, seed of the initial weights.

    Raises:
        ValueError: If it has another number of outputs.
    """
    if isinstance(spec, keras.Model):
        network = twin(spec)
    else:
        if spec is None:
            network = default_network(kind, row_shape, outputs)
        elif callable(spec):
            network = spec(row_shape, outputs)
        else:
            network = registry.build(spec, input_shape=row_shape, outputs=outputs)
        network.set_weights(initial_weights.fresh(
            network, noise.key(seed, noise.INITIAL)))
    _check(network, row_shape, outputs)
    return network


def _check(network, row_shape, outputs):
    found = network.compute_output_shape((None, *row_shape))
    if tuple(found) != (None, outputs):
        raise ValueError(
            f"Expected a network with {outputs} outputs for a row of shape "
            f"{tuple(np.ravel(row_shape).tolist())}. Received: network {network.name} "
            f"with outputs of shape {found}")
