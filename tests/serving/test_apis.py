"""Without the protocol buffers there are words on how to get them."""

import importlib
import sys

import pytest

from bdlzoo.serving import apis


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow_serving.apis", None)
    monkeypatch.delitem(sys.modules, apis.__name__)
    with pytest.raises(ImportError, match=r"install `bdlzoo\[serving\]`"):
        importlib.import_module(apis.__name__)
