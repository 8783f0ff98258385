"""The command finds its verb, and says what there is."""

import importlib
import pathlib
import sys

import pytest

import bdlzoo
from bdlzoo.programs import command

ROOT = pathlib.Path(__file__).parents[2]


def _told(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", ["bdlzoo", *words])
    command.main()
    return capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_help_names_each_verb_in_a_line(words, monkeypatch, capsys):
    lines = _told(monkeypatch, capsys, *words).splitlines()
    for verb in command.VERBS:
        [line] = [line for line in lines if line.startswith(f"  {verb} ")]
        assert line.endswith(".")
    assert len(lines) < 20


def test_version_is_told(monkeypatch, capsys):
    assert _told(monkeypatch, capsys, "--version") == f"bdlzoo {bdlzoo.__version__}\n"


@pytest.mark.parametrize("verb, nearest", [("exprot", "export"), ("serv", "serve")])
def test_unknown_verb_gets_the_nearest_one(verb, nearest, monkeypatch, capsys):
    with pytest.raises(SystemExit) as ended:
        _told(monkeypatch, capsys, verb)
    assert ended.value.code == 1
    assert f"Did you mean {nearest}? Received: {verb}" in capsys.readouterr().err


def test_verbs_have_files_and_doors():
    for verb in command.VERBS:
        assert importlib.util.find_spec(f"bdlzoo.programs.{verb}"), verb
        assert f'command.start("{verb}")' in (ROOT / f"tools/{verb}.py").read_text()
