"""Objects by name, built from the specs in configs.

A spec is a name, or a dictionary with the name as `type` and other arguments. Names are
compared without case and underscores, so that `mc_dropout` and `MCDropout` are the
same.
"""

import difflib

import keras

_FUNCTIONS = {}


def register(function):
    """Registers a function or class under its name; used as a decorator."""
    _FUNCTIONS[_plain(function.__name__)] = function
    return function


def names():
    """Returns a dict from plain names to all registered objects of the zoo."""
    registered = keras.saving.get_custom_objects()
    classes = {_plain(name.split(">")[1]): found
               for name, found in registered.items()
               if name.startswith("bdlzoo>")}
    return {**classes, **_FUNCTIONS}


def find(name, *modules):
    """Finds a class or function by name, in the zoo and then in modules.

    Args:
        name: String, name of a class or function.
        *modules: Modules to search after the zoo, such as `keras.layers`.

    Returns:
        The class or function.

    Raises:
        ValueError: If the name is not found; the message suggests similar names.
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
        raise ValueError("Expected the name of a class or function of the zoo or of "
                         f"Keras.{hint} Received: {name!r}")
    return known[_plain(name)]


def build(spec, *modules, **defaults):
    """Builds the object of a spec; any other object is returned unchanged.

    Args:
        spec: Name, dictionary with `type`, or the object itself.
        *modules: Modules to search after the zoo, such as `keras.layers`.
        **defaults: Arguments that the spec may override.

    Returns:
        The object.
    """
    if isinstance(spec, str):
        spec = {"type": spec}
    if not hasattr(spec, "items"):
        return spec
    arguments = {**defaults, **dict(spec.items())}
    if "type" not in arguments:
        raise ValueError("Expected a dictionary with a name as `type`. "
                         f"Received: {dict(spec.items())}")
    kind = find(arguments.pop("type"), *modules)
    try:
        return kind(**arguments)
    except TypeError as error:
        raise ValueError(f"{kind.__name__} does not take these arguments: "
                         f"{error}. Received: {arguments}") from error


def _plain(name):
    return name.replace("_", "").lower()
