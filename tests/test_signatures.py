"""Tests that `help` and an IDE name the arguments that public classes take.

For every class of the rooms below: the signature, the `Args:` of the docstring, the
keys of `get_config` and what `jedi` reads from the source name the same arguments.
"""

import functools
import inspect
import pathlib
import re

import jedi
import keras
import pytest

import bdlzoo
from bdlzoo import runs

ROOT = pathlib.Path(__file__).parents[1]
ROOMS = ("methods", "layers", "likelihoods", "metrics", "attacks", "estimators",
         "posthoc", "corruptions", "schedules", "data", "evaluation", "worlds",
         "conformal")
CLASSES = [(room, name) for room in ROOMS
           for name in getattr(bdlzoo, room).__all__
           if inspect.isclass(getattr(getattr(bdlzoo, room), name))]
IDS = [f"{room}.{name}" for room, name in CLASSES]
FUNCTIONS = [(room, name) for room in (*ROOMS, "networks", "reports", "runs")
             for name in getattr(bdlzoo, room).__all__
             if inspect.isfunction(getattr(getattr(bdlzoo, room), name))]
KERAS = {"name", "trainable", "dtype"}  # What `**kwargs` of a method is for.
# Arguments that are not in the config of an instance, and why.
UNSAVED = {
    # They say how a trained network gets its posterior. The config holds the network
    # that has one.
    "BayesAdapter": {"select", "technique", "batch_norm", "log_scale",
                     "allow_untrained"},
}

# Arguments behind network and likelihood that version 0.1.0 took by position.
_DRAWS = ["num_samples", "num_train_samples", "kl_weight"]
PLACES = {
    "AdversarialPosteriorDistillation": ["num_chains", "burn_in", "thinning"],
    "AlphaDivergenceDropout": ["num_samples"],
    "BayesAdapter": ["posterior", "select", "technique", "num_members", "batch_norm",
                     "log_scale", "uncertain", "ood_weight", "margin", "disagreement",
                     "allow_untrained", "num_samples"],
    "BayesianDarkKnowledge": ["student", "student_likelihood", "student_prior_scale",
                              "input_noise", "box", "learn_entropy", "num_samples"],
    "DBSN": _DRAWS, "MCDropout": _DRAWS, "MeanFieldVI": _DRAWS, "PACBayes": _DRAWS,
    "DEGP": ["num_members"],
    "DeepEnsemble": ["num_members", "own_order", "num_samples"],
}
# Not in that version.
NEW = {"CrossEntropyMethod", "DirectPolicyGradient", "DiscreteVAE", "DropoutQNetwork",
       "EpsilonGreedy", "PosteriorQNetwork", "Reinforce", "SemiSupervisedVAE",
       "StructuredGAN", "StructuredVAE", "VAE"}


def _class(room, name):
    return getattr(getattr(bdlzoo, room), name)


def _parameters(kind):
    """Parameters of the constructor, or of a function, by name."""
    if not inspect.isclass(kind) or kind.__init__ is object.__init__:
        return dict(inspect.signature(kind).parameters)  # Also of a `NamedTuple`.
    parameters = dict(inspect.signature(kind.__init__).parameters)
    del parameters["self"]
    return parameters


def _named(kind):
    return [name for name, parameter in _parameters(kind).items()
            if parameter.kind is not parameter.VAR_KEYWORD]


def _entries(kind):
    """Entries of `Args:` in a docstring: name to text."""
    section = re.search(r"^Args:\n((?:    .*\n|\n)+)", inspect.getdoc(kind) + "\n",
                        re.M)
    pairs = re.findall(r"^    (\*{0,2}\w+): ((?:.*\n)(?:     +.*\n)*)",
                       section[1] if section else "", re.M)
    return {name: " ".join(text.split()) for name, text in pairs}


def _method(name):
    """A method of the smoke config of its name."""
    stem = inspect.getmodule(getattr(bdlzoo.methods, name)).__name__.split(".")[-1]
    if (ROOT / f"configs/worlds/{stem}.py").exists():
        config = runs.read_config(f"worlds/{stem}.py", "smoke")
        return runs.load_model(config, runs.load_world(config).observation_shape)
    return runs.load_model(runs.read_config(f"digits/{stem}.py", "smoke"), (8, 8, 1))


# Values of the arguments that classes of the other rooms cannot do without.
VALUES = {
    "filters": 2, "kernel_size": 3, "units": 2, "input_dim": 3, "output_dim": 2,
    "num_nodes": 3, "growth": 2, "operations": ("zero", "identity"), "groups": 2,
    "layer": keras.layers.Dense(2), "num_members": 2, "num_classes": 3,
    "drift": keras.layers.Dense(2), "diffusion": keras.layers.Dense(1),
    "equation": "ab,bc->ac", "output_shape": 2,
    "factory": "Normal", "parameters": {"loc": "identity", "scale": 1.0},
    "peak": 0.1, "ramp_steps": 10, "decay_steps": 100,
    "initial_rate": 0.1, "cycle_steps": 10, "initial": 1.0, "rate": 0.1, "floor": 0.01,
    "start": 5, "length": 10,
}


def _instance(room, name):
    if room == "methods":
        return _method(name)
    kind = _class(room, name)
    return kind(**{name: VALUES[name] for name, parameter in _parameters(kind).items()
                   if parameter.default is parameter.empty
                   and parameter.kind is not parameter.VAR_KEYWORD})


@pytest.mark.parametrize("room, name", CLASSES, ids=IDS)
def test_constructor_names_its_arguments(room, name):
    kind = _class(room, name)
    assert ("__init__" in vars(kind) or kind.__init__ is object.__init__), (
        "inherited: an IDE would show that of a base")
    kinds = {parameter.kind for parameter in _parameters(kind).values()}
    assert inspect.Parameter.VAR_POSITIONAL not in kinds
    assert _named(kind) == [
        parameter.name for parameter in inspect.signature(kind).parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD], "what `help` shows"


@pytest.mark.parametrize("name", [
    name for name in bdlzoo.methods.__all__ if name not in NEW])
def test_arguments_of_methods_keep_their_places(name):
    places = ["network", "likelihood", *PLACES.get(name, [])]
    assert _named(getattr(bdlzoo.methods, name))[:len(places)] == places


@pytest.mark.parametrize("room, name", CLASSES, ids=IDS)
def test_docstring_describes_every_argument(room, name):
    kind = _class(room, name)
    entries = _entries(kind)
    expected = [f"**{name}" if parameter.kind is parameter.VAR_KEYWORD else name
                for name, parameter in _parameters(kind).items()]
    assert list(entries) == expected
    for argument, text in entries.items():
        assert not text.startswith("See "), argument
        assert len(text.split()) > 2 and text.endswith("."), argument
    if "**kwargs" in entries:
        assert re.match("(Other a|A)rguments of `keras.", entries["**kwargs"]), (
            "Keras' alone")
    if not entries and not kind.__subclasses__():
        assert "It has no arguments." in inspect.getdoc(kind)


@pytest.mark.parametrize("room, name", FUNCTIONS)
def test_docstring_of_a_function_describes_every_argument(room, name):
    function = _class(room, name)
    entries, parameters = _entries(function), _parameters(function)
    if len(parameters) > 1:  # One argument may be described by the first sentence.
        assert [argument.strip("*") for argument in entries] == list(parameters)
    assert all(text.endswith(".") for text in entries.values())


def test_no_argument_is_described_elsewhere():
    """A user reads one docstring, and not those that it refers to."""
    found = [f"{path.relative_to(ROOT)}: {line.strip()}"
             for path in sorted((ROOT / "bdlzoo").rglob("*.py"))
             for line in path.read_text().splitlines()
             if re.match(r" +\*{0,2}\w+: See ", line)]
    assert not found


@pytest.mark.parametrize("room, name", [
    (room, name) for room, name in CLASSES
    if hasattr(_class(room, name), "get_config")])
def test_config_holds_every_argument(room, name):
    kind = _class(room, name)
    config, named = _instance(room, name).get_config(), set(_named(kind))
    assert named - config.keys() == UNSAVED.get(name, set())
    if room == "methods":
        assert config.keys() - KERAS <= named, "a file could not be loaded"
    else:
        assert kind.from_config(config).get_config() == config


@functools.cache
def _script():
    """A call of every class, and what `jedi` knows of it without running it."""
    lines = [f"bdlzoo.{room}.{name}()" for room, name in CLASSES]
    return jedi.Script("\n".join(["import bdlzoo", *lines]),
                       project=jedi.Project(ROOT)), lines


@pytest.mark.parametrize("room, name", [
    (room, name) for room, name in CLASSES
    if not issubclass(_class(room, name), tuple)])  # `jedi` knows no `NamedTuple`.
def test_ide_reads_the_same_arguments_from_the_source(room, name):
    script, lines = _script()
    place, kind = CLASSES.index((room, name)), _class(room, name)
    [found] = script.get_signatures(place + 2, len(lines[place]) - 1)
    shown, named = [parameter.name for parameter in found.params], _named(kind)
    if len(named) < len(_parameters(kind)):
        # It follows `**kwargs` to the base of Keras, whose arguments come last.
        shown = shown[:len(named)]
    assert shown == named
