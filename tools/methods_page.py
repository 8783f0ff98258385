r"""Writes `docs/methods.md`, the list of methods and parts, from docstrings.

    python -m tools.methods_page

Methods are grouped by their base class, under the first sentence of its module. A
method has the first sentence of its class, the reference of its module, and the
configs that name it. Nothing on the page is typed by hand.
"""

import importlib
import inspect
import pathlib
import re

from absl import flags

import bdlzoo
from bdlzoo import runs
from bdlzoo.core import registry
from bdlzoo.programs import console

ROOT = pathlib.Path(__file__).parents[1]
ROOMS = ("layers", "networks", "likelihoods", "metrics", "posthoc", "attacks",
         "estimators", "worlds", "corruptions", "conformal")
_OUTPUT = flags.DEFINE_string(
    "output", str(ROOT / "docs" / "methods.md"), "File of the page.",
    allow_override=True)  # Other tools have it too; tests import several of them.


def main(argv):
    del argv
    with console.explained():
        pathlib.Path(_OUTPUT.value).write_text(page())
    print(f"Written: {_OUTPUT.value}")


def page():
    """The text of the page."""
    lines = ["# Methods and parts", "",
             "Written by `python -m tools.methods_page` from docstrings. Measured "
             "results are in [results.md](results.md), speed is in "
             "[benchmarks.md](benchmarks.md).", "", "## Methods", "",
             "A method is a class of `bdlzoo.methods`. A config is trained by `bdlzoo "
             "train --config=digits/mc_dropout.py --workdir=runs/a`."]
    configs = configs_by_method()
    for base, methods in families().items():
        family = importlib.import_module(base.__module__)
        lines += ["", f"### {heading(base)}", "", _escaped(first_sentence(family)), "",
                  "| Method | What it does | Reference | Configs |",
                  "|---|---|---|---|",
                  *(_method(method, configs.get(method.__name__, ()))
                    for method in methods)]
    for room in ROOMS:
        lines += _room(room)
    return "\n".join(lines) + "\n"


def families():
    """Dictionary, base class to the methods that have it, both sorted by name."""
    found = {}
    for name in sorted(bdlzoo.methods.__all__, key=str.lower):
        method = getattr(bdlzoo.methods, name)
        found.setdefault(method.__bases__[0], []).append(method)
    return dict(sorted(found.items(), key=lambda item: item[0].__name__))


def heading(base):
    """The name of a base class in words: `DropoutModel` is "Dropout models"."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", base.__name__)
    return " ".join(words).capitalize() + "s"


def configs_by_method():
    """Dictionary, name of a class to the configs that build it, such as `uci/x.py`.

    A class may be registered under another name than its own.
    """
    found = {}
    for path in sorted((ROOT / "configs").glob("*/[!_]*.py")):
        if path.parent.name != "base":
            name = f"{path.parent.name}/{path.name}"
            method = registry.find(runs.read_config(name).method.type)
            found.setdefault(method.__name__, []).append(name)
    return found


def first_sentence(thing):
    """The first sentence of the docstring of a class, function or module.

    Args:
        thing: A class, function or module.

    Raises:
        ValueError: If it has no docstring of its own.
    """
    if not thing.__doc__:
        raise ValueError("Expected a docstring. "
                         f"Received: {thing.__name__} without any")
    paragraph = " ".join(inspect.cleandoc(thing.__doc__).split("\n\n")[0].split())
    return re.match(r".*?\.(?=\s|$)|.*", paragraph)[0]


def reference(module):
    """Text after `Reference:` in the docstring of a module; empty if there is none.

    Args:
        module: String, name of the module.
    """
    text = importlib.import_module(module).__doc__ or ""
    found = re.search(r"^References?:(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    return " ".join(found[1].split()) if found else ""


def _method(method, configs):
    links = ", ".join(f"[{name.removesuffix('.py')}](../configs/{name})"
                      for name in configs)
    return (f"| {_link(method)} | {_escaped(first_sentence(method))} | "
            f"{_escaped(reference(method.__module__))} | {links} |")


def _room(room):
    module = importlib.import_module(f"bdlzoo.{room}")
    parts = [getattr(module, name) for name in sorted(module.__all__, key=str.lower)]
    return ["", f"## `bdlzoo.{room}`", "", _escaped(first_sentence(module)), "",
            "| Name | What it is |", "|---|---|",
            *(f"| {_link(part)} | {_escaped(first_sentence(part))} |"
              for part in parts if callable(part))]


def _link(part):
    return f"[`{part.__name__}`](../{part.__module__.replace('.', '/')}.py)"


def _escaped(text):
    return text.replace("|", r"\|")  # A bar ends a cell of a table, in code too.


if __name__ == "__main__":
    console.run(main)
