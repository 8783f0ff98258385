"""Names of the room: modules stay modules, and functions are found without them."""

import inspect
import pkgutil

from bdlzoo import evaluation


def test_every_module_is_reached_by_its_name():
    modules = {module.name for module in pkgutil.iter_modules(evaluation.__path__)}
    assert modules <= set(evaluation.__all__)
    for name in modules:
        assert inspect.ismodule(getattr(evaluation, name)), name


def test_other_names_are_those_of_a_module():
    others = [name for name in evaluation.__all__
              if not inspect.ismodule(getattr(evaluation, name))]
    assert {"diagnose", "evaluate", "certificate", "to_arviz"} <= set(others)
    for name in others:
        found = getattr(evaluation, name)
        assert callable(found) and found.__module__.startswith("bdlzoo.evaluation.")
        assert found.__doc__, name
