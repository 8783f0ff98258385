"""Models to choose from for one network, which need no tuning.

    deterministic    one network, as it is
    mc_dropout       dropout that stays on
    last_layer       weights of the last layer are drawn
    mean_field_vi    all weights are drawn
    deep_ensemble    five networks
"""

import inspect

import keras

from bdlzoo import networks as _networks  # noqa: F401  Known by name.
from bdlzoo.core import initial_weights, noise, registry
from bdlzoo.methods import DeepEnsemble, Deterministic, MCDropout, MeanFieldVI
from bdlzoo.surgery import conversion
from bdlzoo.surgery.bayesianize import bayesianize
from bdlzoo.surgery.stacked_network import twin

_RATE = 0.25  # Of dropout, where the network does not say it.
_MEMBERS = 5
_DRAWS = 32


def candidates(network, likelihood, row_shape, outputs, seed=0):
    """Functions that build the candidates, by name.

    Args:
        network: Name or dictionary of a network of `bdlzoo.networks`, or a Keras model
            whose architecture is taken. Without dropout, a Keras model has no
            `mc_dropout`.
        likelihood: Name or dictionary of a likelihood.
        row_shape: Shape of one row.
        outputs: Integer, number of raw outputs of the network.
        seed: Integer, seed of the weights and of the noise.

    Returns:
        Dictionary from a name to a function without arguments, which returns a model
        that is not compiled.
    """
    def made(dropout=None):
        found = _network(network, row_shape, outputs, dropout)
        found.set_weights(initial_weights.fresh(
            found, noise.key(seed, noise.INITIAL)))
        return found

    def last_layer():
        return bayesianize(made(), select=1, verbose=False)

    def every_layer():
        return bayesianize(made(), verbose=False)

    common = {"likelihood": likelihood, "seed": seed}
    found = {
        "deterministic": lambda: Deterministic(made(), **common),
        "mc_dropout": lambda: MCDropout(made(_RATE), num_samples=_DRAWS, **common),
        "last_layer": lambda: MeanFieldVI(last_layer(), num_samples=_DRAWS, **common),
        "mean_field_vi": lambda: MeanFieldVI(
            every_layer(), num_samples=_DRAWS, **common),
        "deep_ensemble": lambda: DeepEnsemble(
            made(), num_members=_MEMBERS, **common)}
    if not conversion.stochastic_layers(made(_RATE)):
        del found["mc_dropout"]
    return found


def _network(spec, row_shape, outputs, dropout):
    """A network; `dropout` is the rate where the spec has none of its own."""
    if isinstance(spec, keras.Model):
        found = twin(spec)
    else:
        spec = {"type": spec} if isinstance(spec, str) else dict(spec)
        takes = inspect.signature(registry.find(spec["type"])).parameters
        own = spec.pop("dropout", None)
        if "dropout" in takes:
            spec["dropout"] = 0.0 if dropout is None else own or dropout
        found = registry.build(spec, input_shape=row_shape, outputs=outputs)
    conversion.adopt(found)
    shape = tuple(found.compute_output_shape((None, *row_shape)))
    if shape != (None, outputs):
        raise ValueError(
            f"Expected a network with {outputs} outputs for a row of shape "
            f"{tuple(row_shape)}. Received: network {found.name} with outputs of shape "
            f"{shape}")
    return found
