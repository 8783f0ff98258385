"""Pages of the reference: one for each public name, from its docstring.

A public name is one of the `__all__` of `bdlzoo` or of one of its rooms. Its page has
what its module says (the formula of a method, its reference), and what mkdocstrings
reads from the code: arguments, methods, source.
"""

import dataclasses
import importlib
import inspect
import pathlib
import types

import bdlzoo
from tools.methods_page import first_sentence

ROOT = pathlib.Path(__file__).parents[2]
# What calls return, but nobody makes: it is in no `__all__`.
RESULTS = ("class_prediction.ClassPrediction", "class_prediction.BinaryPrediction",
           "class_prediction.MultiLabelPrediction",
           "regression_prediction.RegressionPrediction")
_METHODS = ("What all methods share, such as `fit`, `predict_uncertainty`, `calibrate` "
            "and `export`, is on the pages of [PredictiveModel](../model/"
            "PredictiveModel.md) and [StochasticModel](../model/StochasticModel.md).")


@dataclasses.dataclass(frozen=True)
class Name:
    """A public name.

    Args:
        room: String, such as `"methods"`; `"bdlzoo"` for the package itself.
        word: String, the name.
        thing: What it stands for.
        path: String, where the code defines it, such as
            `"bdlzoo.methods.sgld.SGLD"`.
    """

    room: str
    word: str
    thing: object
    path: str

    @property
    def page(self):
        """Path of its page below the folder of the reference."""
        return f"{self.room}/{self.word}.md"

    @property
    def file(self):
        """Path of its code in the checkout."""
        module = self.path if isinstance(
            self.thing, types.ModuleType) else self.path.rsplit(".", 1)[0]
        file = importlib.import_module(module).__file__
        return str(pathlib.Path(file).relative_to(ROOT))


def rooms():
    """Dictionary, name of a room to its module, for all that have an `__all__`."""
    found = {"bdlzoo": bdlzoo}
    for path in sorted(ROOT.glob("bdlzoo/*/__init__.py")):
        module = importlib.import_module(f"bdlzoo.{path.parent.name}")
        if getattr(module, "__all__", None):
            found[path.parent.name] = module
    return found


def public_names():
    """All public names, room by room."""
    found = []
    for room, module in rooms().items():
        for word in sorted(module.__all__, key=str.lower):
            thing = getattr(module, word)
            if room != "bdlzoo" or not isinstance(thing, types.ModuleType):
                found.append(Name(room, word, thing, _path(module, word, thing)))
    for end in RESULTS:
        module, word = f"bdlzoo.core.{end}".rsplit(".", 1)
        thing = getattr(importlib.import_module(module), word)
        found.append(Name("core", word, thing, f"bdlzoo.core.{end}"))
    return found


def pages():
    """Dictionary, path below the folder of the reference to the text of a page."""
    names, found = public_names(), {}
    for name in names:
        found[name.page] = _page(name)
    by_room = {}
    for name in names:
        by_room.setdefault(name.room, []).append(name)
    for room, members in by_room.items():
        found[f"{room}/index.md"] = _room_page(room, members)
    found["index.md"] = _index(by_room)
    return found


def by_file():
    """Dictionary, path of a file of code to the page of its first public name."""
    found = {}
    for name in public_names():
        if name.room != "bdlzoo" and not isinstance(name.thing, types.ModuleType):
            found.setdefault(name.file, name.page)
    return found


def _path(module, word, thing):
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if hasattr(thing, "__qualname__"):
        return f"{thing.__module__}.{thing.__qualname__}"
    return f"{module.__name__}.{word}"  # A constant.


def _page(name):
    lines = [f"# {_title(name)}", "", f"[{_room_title(name.room)}](index.md)", ""]
    if inspect.isclass(name.thing) or inspect.isfunction(name.thing):
        module = inspect.getmodule(name.thing)
        lines += [inspect.cleandoc(module.__doc__), ""]
        if issubclass(type(name.thing), type) and name.room == "methods":
            lines += [_METHODS, ""]
    return "\n".join([*lines, f"::: {name.path}"]) + "\n"


def _title(name):
    inside = "" if name.room == "bdlzoo" else f".{name.room}"
    return f"`bdlzoo{inside}.{name.word}`"


def _room_title(room):
    return "`bdlzoo`" if room == "bdlzoo" else f"`bdlzoo.{room}`"


def _room_page(room, members):
    module = importlib.import_module("bdlzoo" if room == "bdlzoo" else f"bdlzoo.{room}")
    return "\n".join([
        f"# {_room_title(room)}", "", "[Reference](../index.md)", "",
        inspect.cleandoc(module.__doc__), "",
        *(f"- [`{name.word}`]({name.word}.md){_told(name.thing)}" for name in members)
    ]) + "\n"


def _told(thing):
    documented = inspect.isroutine(thing) or inspect.isclass(thing) or isinstance(
        thing, types.ModuleType)
    return f": {first_sentence(thing)}" if documented else ""


def _index(by_room):
    rows = [f"- [{_room_title(room)}]({room}/index.md), {len(members)} names: "
            f"{first_sentence(importlib.import_module(_module(room)))}"
            for room, members in by_room.items()]
    return "\n".join([
        "# Reference", "", "Every public name, from the docstrings, by room. What "
        "`predict_uncertainty` returns is in `bdlzoo.core`.", "", *rows]) + "\n"


def _module(room):
    return "bdlzoo" if room == "bdlzoo" else f"bdlzoo.{room}"
