"""Modules of a package that are imported when they are first asked for."""

import importlib


def lazy_modules(package, names):
    """Makes the functions `__getattr__` and `__dir__` of a package.

    Args:
        package: String, name of the package.
        names: Names of the modules in it.

    Returns:
        The two functions; the second adds the names to those that are there.
    """

    def get(name):
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return importlib.import_module(f"{package}.{name}")

    def list_all():
        return sorted({*vars(importlib.import_module(package)), *names})

    return get, list_all
