"""Tutorials run as plain Python, and their pages have their code and their words."""

import os
import re
import subprocess
import sys
import time
import types

import pytest

from tools import tutorials

PAGES = {name: tutorials.FOLDER / f"{name}.md" for name in tutorials.NAMES}


def test_every_tutorial_is_in_the_order():
    files = {path.stem for path in tutorials.FOLDER.glob("*.py")}
    assert files == set(tutorials.NAMES) and len(files) >= 15


@pytest.mark.parametrize("name", tutorials.NAMES)
def test_tutorial_is_whole(name):
    """It parses, has a title, a first sentence, a picture and a limit."""
    text = (tutorials.FOLDER / f"{name}.py").read_text()
    compile(text, name, "exec")
    title, sentence = tutorials.headline(name)
    assert 2 <= len(title.split()) <= 8 and len(sentence.split()) >= 6
    assert "**A limit.**" in text
    assert "](pictures/" in PAGES[name].read_text()
    kinds = [kind for kind, _ in tutorials.cells(text)]
    assert kinds[0] == "markdown" and kinds.count("code") >= 5
    for kind, source in tutorials.cells(text):
        # A link that is broken over lines is none in some readers.
        assert kind == "code" or not re.search(r"\]\(\s*$", source, re.M)


@pytest.mark.parametrize("name", tutorials.NAMES)
def test_page_has_code_and_words_of_its_file(name):
    """`python -m tools.tutorials` writes it again."""
    assert PAGES[name].read_text() == tutorials.reworded(name)


def test_index_is_up_to_date():
    assert tutorials.INDEX.read_text() == tutorials.index()


def test_pictures_are_those_of_the_pages():
    linked = {file for path in PAGES.values()
              for file in re.findall(r"\]\(pictures/([^)]+)\)", path.read_text())}
    there = {path.name for path in (tutorials.FOLDER / "pictures").iterdir()}
    assert linked == there
    sizes = [path.stat().st_size for path in (tutorials.FOLDER / "pictures").iterdir()]
    assert max(sizes) < 150_000


def test_cells_are_read():
    text = ("# %% [markdown]\n# # Title\n#\n# Words.\n\n# %% alt=\"A line\"\nx = 1\n"
            "# A comment.\nx\n")
    assert tutorials.cells(text) == [
        ("markdown", "# Title\n\nWords."), ("code", "x = 1\n# A comment.\nx")]
    assert tutorials.plain("%matplotlib inline\nx = 1") == "x = 1"
    assert tutorials.plain("# %matplotlib inline\nx = 1") == "x = 1"


def _notebook(alt=True):
    """A notebook whose second cell has printed and drawn."""
    outputs = [
        types.SimpleNamespace(output_type="stream", name="stdout", text="two\n"
                              "WARNING:tensorflow:A line of a library.\n"),
        types.SimpleNamespace(output_type="stream", name="stderr", text="no"),
        _Output(output_type="display_data", data={"image/png": "AAAA"})]
    return types.SimpleNamespace(cells=[
        types.SimpleNamespace(cell_type="markdown", source="# Title\n\nWords."),
        types.SimpleNamespace(
            cell_type="code", source="print('two')", outputs=outputs,
            metadata=_Output(alt="A line") if alt else _Output())])


class _Output(dict):
    """Keys that are attributes too, as in a notebook."""

    __getattr__ = dict.__getitem__


def test_page_has_what_was_printed_and_drawn(tmp_path):
    text, pictures = tutorials.page(_notebook(), "lines")
    assert "```python\nprint('two')\n```\n\n```text\ntwo\n```\n\n" in text
    assert text.endswith("![A line](pictures/lines_1.png)\n")
    assert pictures == {"lines_1.png": b"\0\0\0"}
    with pytest.raises(ValueError, match="words for who cannot see"):
        tutorials.page(_notebook(alt=False), "lines")
    (tmp_path / "lines.md").write_text(text)
    (tmp_path / "lines.py").write_text("# %% [markdown]\n# # Title\n#\n# Other words.\n"
                                       "\n# %% alt=\"A line\"\nprint('two')\n")
    assert tutorials.reworded("lines", tmp_path) == text.replace("Words", "Other words")
    (tmp_path / "lines.py").write_text("# %% [markdown]\n# # T\n\n# %%\nprint('three')")
    with pytest.raises(ValueError, match="--name=lines"):
        tutorials.reworded("lines", tmp_path)


def test_names_are_chosen():
    assert tutorials.chosen(["all"]) == list(tutorials.NAMES)
    assert tutorials.chosen(["none"]) == []
    for wrong in ([], ["first_stops"]):
        with pytest.raises(ValueError, match="--name=all, none"):
            tutorials.chosen(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", tutorials.NAMES)
def test_tutorial_runs(name, tmp_path):
    """As plain Python, on bundled data alone, in less than three minutes."""
    settings = {key: value for key, value in os.environ.items()
                if key not in ("TFDS_DATA_DIR", "BDLZOO_DATA_DIR")}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, tutorials.FOLDER / f"{name}.py"], cwd=tmp_path,
        env={**settings, "MPLBACKEND": "agg", "PYTHONPATH": str(tutorials.ROOT)},
        capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]
    assert time.monotonic() - began < 180
