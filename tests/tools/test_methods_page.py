"""The list of methods: complete, and equal to the docstrings."""

import pathlib
import re
import types

import pytest

import bdlzoo
from tools import methods_page

ROOT = pathlib.Path(__file__).parents[2]
PAGE = methods_page.page()


def test_committed_page_is_up_to_date():
    """`python -m tools.methods_page` writes it again."""
    assert (ROOT / "docs/methods.md").read_text() == PAGE


def test_every_method_is_listed_once_with_a_config():
    methods = PAGE.split("\n## `bdlzoo.")[0]  # A likelihood may have the same name.
    for name in bdlzoo.methods.__all__:
        [row] = re.findall(rf"^\| \[`{name}`\].*", methods, re.M)
        assert "](../configs/" in row
    assert "Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016" in PAGE


def test_every_part_is_listed():
    for room in methods_page.ROOMS:
        section = PAGE.split(f"## `bdlzoo.{room}`")[1].split("\n## ")[0]
        module = getattr(bdlzoo, room)
        for name in module.__all__:
            assert f"[`{name}`]" in section or not callable(getattr(module, name))


def test_files_that_are_linked_are_there():
    for path in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (ROOT / "docs" / path).exists(), path


def test_first_sentence_ends_at_its_full_stop():
    def described(text):
        return types.SimpleNamespace(__doc__=text, __name__="Thing")

    sentence = methods_page.first_sentence
    assert sentence(described("Drops 0.5 of\n    them. And more.")) == (
        "Drops 0.5 of them.")
    assert sentence(described("A title\n\nAnd more.")) == "A title"
    with pytest.raises(ValueError, match="Received: Thing without any"):
        sentence(described(None))


def test_reference_is_read_to_its_end(monkeypatch):
    module = types.SimpleNamespace(__doc__="Title.\n\nReference: One, A,\n2020.\n")
    monkeypatch.setattr(methods_page.importlib, "import_module", lambda _: module)
    assert methods_page.reference("any") == "One, A, 2020."
    module.__doc__ = "Title.\n\nReference: One.\n\nMore."
    assert methods_page.reference("any") == "One."
    module.__doc__ = "Title."
    assert methods_page.reference("any") == ""


def test_family_is_named_in_words():
    assert methods_page.heading(types.SimpleNamespace(__name__="DropoutModel")) == (
        "Dropout models")
    assert methods_page.heading(types.SimpleNamespace(__name__="SDEModel")) == (
        "Sde models")
