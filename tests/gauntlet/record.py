"""What the gauntlet knows of a network: how to make it, its data, what it needs."""

import dataclasses
import typing

import keras

DOORS = ("mc_dropout", "bayesianize", "deep_ensemble", "from_models", "sgld",
         "bayes_adapter", "adopted")
NETWORKS = {}  # Name to `Network`, in the order of the page.


class Refusal(typing.NamedTuple):
    """An error that is expected, because a cell cannot work."""

    message: str  # Regular expression that the error message must hold.
    reason: str  # Why it cannot work, for the page.
    step: str = "model"  # "model", "save" (of `.keras`) or "load" (of it).


@dataclasses.dataclass(frozen=True)
class Network:
    """A network of the gauntlet, with data of two steps.

    Args:
        name: String, name of the function that makes it.
        style: String, what it stands for.
        make: Function without arguments that returns a new Keras model.
        inputs: Array, list of arrays, or dictionary of arrays.
        targets: Array.
        likelihood: Spec of the likelihood.
        drops: Bool, whether it has dropout.
        unreached: Name of a layer whose noise draws need not reach; then a warning
            has to name it.
        keeps: Names of layers whose state no door may change.
        refused: Dictionary, door to `Refusal`.
        unsafe: Bool, whether its file holds Python code, which Keras loads only if
            the user allows it.
        tolerance: Float, how far apart equal predictions may be.
    """

    name: str
    style: str
    make: typing.Callable
    inputs: typing.Any
    targets: typing.Any
    likelihood: typing.Any
    drops: bool
    unreached: str | None
    keeps: tuple
    refused: dict
    unsafe: bool
    tolerance: float

    def seeded(self, seed=0):
        """The network with initial weights of a seed."""
        keras.utils.set_random_seed(seed)
        return self.make()

    def few(self, count):
        """The first rows of the inputs."""
        if isinstance(self.inputs, dict):
            return {name: part[:count] for name, part in self.inputs.items()}
        if isinstance(self.inputs, list):
            return [part[:count] for part in self.inputs]
        return self.inputs[:count]


def network(style, inputs, targets, likelihood="categorical", *, drops=True,
            unreached=None, keeps=(), refused=None, unsafe=False, tolerance=1e-5):
    """Adds the network that a function makes to the gauntlet."""

    def add(make):
        name = make.__name__
        if name in NETWORKS:
            raise ValueError(f"Expected another name. Received: {name} twice")
        unknown = set(refused or ()) - set(DOORS)
        if unknown:
            raise ValueError(f"Expected doors of {DOORS}. Received: {unknown}")
        NETWORKS[name] = Network(
            name, style, make, inputs, targets, likelihood, drops, unreached,
            tuple(keeps), dict(refused or {}), unsafe, tolerance)
        return make

    return add


def at_every_door(message, reason, step="model", doors=DOORS):
    """The same refusal at several doors."""
    return {door: Refusal(message, reason, step) for door in doors}
