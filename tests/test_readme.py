"""The README is true, and short."""

import ast
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
[QUICKSTART] = re.findall(r"```python\n(.*?)```", README, re.S)


def test_readme_has_at_most_1200_words():
    assert len(README.split()) <= 1200


def test_quickstart_has_eight_statements():
    assert len(ast.parse(QUICKSTART).body) <= 8


def test_first_screen_has_the_quickstart_and_three_pictures():
    screen = README.split("```")[0] + "```python\n" + QUICKSTART
    assert README.startswith(screen) and len(screen.splitlines()) <= 30
    assert len(re.findall(r'<img src="[^"]+" width="\d+%" alt="[^"]+">', screen)) == 3


def test_quickstart_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(QUICKSTART, names)
    prediction = names["prediction"]
    assert np.mean(prediction.label == names["y"][:5]) > 0.5
    assert (tmp_path / "served/digits/1/saved_model.pb").exists()
    promised = README.split("`prediction.mean`")[1].split("for regression")[0]
    attributes = re.findall(r"`\.(\w+)`", promised)
    assert len(attributes) == 5
    for attribute in attributes:
        assert np.isfinite(getattr(prediction, attribute)).all()


def test_files_that_are_linked_are_there():
    for path in re.findall(r'(?:\]\(|src=")([^)"]+)', README):
        assert (ROOT / path).exists(), path


def test_methods_that_are_recommended_exist():
    table = README.split("| Situation |")[1].split("\n\n")[0]
    names = set(re.findall(r"`([A-Z]\w+)", table))
    assert len(names) >= 10
    for name in names:
        assert f"[`{name}`]" in (ROOT / "docs/methods.md").read_text(), name
