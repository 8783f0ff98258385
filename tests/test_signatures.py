"""What `help` and an IDE say of public classes is what the classes take.

For every class of the rooms below: the signature, the `Args:` of the docstring, the
keys of `get_config` and what `jedi` reads from the source name the same arguments.
"""

import functools
import inspect
import pathlib
import re

import jedi
import pytest

import bdlzoo
from bdlzoo import runs

ROOT = pathlib.Path(__file__).parents[1]
ROOMS = ("methods",)
CLASSES = [(room, name) for room in ROOMS
           for name in getattr(bdlzoo, room).__all__
           if inspect.isclass(getattr(getattr(bdlzoo, room), name))]
IDS = [f"{room}.{name}" for room, name in CLASSES]
KERAS = {"name", "trainable", "dtype"}  # What `**kwargs` is for.
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
NEW = {"VAE"}  # Not in that version.


def _class(room, name):
    return getattr(getattr(bdlzoo, room), name)


def _parameters(kind):
    """Parameters of the constructor, by name."""
    parameters = dict(inspect.signature(kind.__init__).parameters)
    del parameters["self"]
    return parameters


def _named(kind):
    return [name for name, parameter in _parameters(kind).items()
            if parameter.kind is not parameter.VAR_KEYWORD]


def _entries(kind):
    """Entries of `Args:` in the docstring of a class: name to text."""
    section = re.search(r"^Args:\n((?:    .*\n|\n)+)", inspect.getdoc(kind) + "\n",
                        re.M)
    pairs = re.findall(r"^    (\*{0,2}\w+): ((?:.*\n)(?:     +.*\n)*)",
                       section[1] if section else "", re.M)
    return {name: " ".join(text.split()) for name, text in pairs}


def _method(name):
    """A method of the smoke config of its name."""
    stem = inspect.getmodule(getattr(bdlzoo.methods, name)).__name__.split(".")[-1]
    return runs.load_model(runs.read_config(f"digits/{stem}.py", "smoke"), (8, 8, 1))


MAKERS = {"methods": _method}


@pytest.mark.parametrize("room, name", CLASSES, ids=IDS)
def test_constructor_names_its_arguments(room, name):
    kind = _class(room, name)
    assert "__init__" in vars(kind), "inherited: an IDE would show that of a base"
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
        assert entries["**kwargs"].startswith("Arguments of `keras."), "Keras' alone"


@pytest.mark.parametrize("room, name", CLASSES, ids=IDS)
def test_config_holds_every_argument(room, name):
    kind = _class(room, name)
    if not hasattr(kind, "get_config"):
        pytest.skip("has no config")
    keys, named = set(MAKERS[room](name).get_config()), set(_named(kind))
    assert keys - KERAS <= named, "a file could not be loaded"
    assert named - keys == UNSAVED.get(name, set())


@functools.cache
def _script():
    """A call of every class, and what `jedi` knows of it without running it."""
    lines = [f"bdlzoo.{room}.{name}()" for room, name in CLASSES]
    return jedi.Script("\n".join(["import bdlzoo", *lines]),
                       project=jedi.Project(ROOT)), lines


@pytest.mark.parametrize("room, name", CLASSES, ids=IDS)
def test_ide_reads_the_same_arguments_from_the_source(room, name):
    script, lines = _script()
    place = CLASSES.index((room, name))
    [found] = script.get_signatures(place + 2, len(lines[place]) - 1)
    # It shows `**kwargs` only if it cannot follow them to a base.
    shown = [parameter.name for parameter in found.params
             if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    assert shown == _named(_class(room, name))
