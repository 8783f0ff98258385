"""The networks of the gauntlet, by style; importing them registers their layers."""

from tests.gauntlet.networks import (  # noqa: F401
    attention,
    graphs,
    images,
    maps,
    own_layers,
    perceptrons,
    recurrent,
    sequences,
    tables,
    texts,
)
from tests.gauntlet.record import NETWORKS  # noqa: F401
