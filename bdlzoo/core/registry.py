"""Objects by name: what a config says becomes what a program calls.

A spec is a name, or a dictionary with the name under `type` and arguments
beside it. Names are compared without case and underscores, so that
`mc_dropout` and `MCDropout` are one.
"""

import difflib

import keras

_FUNCTIONS = {}


def register(function):
    """Makes a function, such as one that builds a network, known by name."""
    _FUNCTIONS[_plain(function.__name__)] = function
    return function


def names():
    """Plain names of all that the zoo has registered."""
    registered = keras.saving.get_custom_objects()
    classes = {_plain(name.split(">")[1]): found
               for name, found in registered.items()
               if name.startswith("bdlzoo>")}
    return {**classes, **_FUNCTIONS}


def find(name, *modules):
    """Finds `name` in the zoo, then in `modules`.

    Args:
        name: Name of a class or function.
        *modules: Modules to search behind the zoo, such as `keras.layers`.

    Raises:
        ValueError: Where nobody has it; says which names come close.
    """
    known = names()
    for module in modules:
        public = {_plain(n): getattr(module, n) for n in dir(module)
                  if n[:1].isupper()}
        known = {**public, **known}
    if _plain(name) not in known:
        close = [known[n].__name__ for n in
                 difflib.get_close_matches(_plain(name), known, n=3, cutoff=0.5)]
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"Expected the name of something that the zoo or Keras "
                         f"has.{hint} Received: {name!r}")
    return known[_plain(name)]


def build(spec, *modules, **defaults):
    """Builds what `spec` says; an object that is no spec is returned as is.

    Args:
        spec: Name, dictionary with `type`, or the object itself.
        *modules: See `find`.
        **defaults: Arguments that the spec may override.
    """
    if isinstance(spec, str):
        spec = {"type": spec}
    if not hasattr(spec, "items"):
        return spec
    arguments = {**defaults, **dict(spec.items())}
    if "type" not in arguments:
        raise ValueError("Expected a dictionary with a name under `type`. "
                         f"Received: {dict(spec.items())}")
    kind = find(arguments.pop("type"), *modules)
    try:
        return kind(**arguments)
    except TypeError as error:
        raise ValueError(f"{kind.__name__} does not take these arguments: "
                         f"{error}. Received: {arguments}") from error


def _plain(name):
    return name.replace("_", "").lower()
