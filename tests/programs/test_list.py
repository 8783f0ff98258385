"""The list has all names, with a line on each."""

import importlib
import pathlib

import pytest

import bdlzoo

ROOT = pathlib.Path(__file__).parents[2]
listing = importlib.import_module("bdlzoo.programs.list")


@pytest.mark.parametrize("kind", listing.KINDS)
def test_each_entry_has_a_line(kind):
    found = listing.entries(kind)
    assert len(found) >= (5 if kind == "estimators" else 6)
    for name, line in found.items():
        assert len(line) > 5 and "\n" not in line and line[0] != " ", name


def test_all_methods_and_configs_are_listed(capsys):
    listing.main(["bdlzoo list"])
    words = capsys.readouterr().out.split()
    for name in (*bdlzoo.methods.__all__, *bdlzoo.networks.__all__, "digits"):
        assert name in words, name
    configs = {path.relative_to(ROOT / "configs").as_posix()
               for path in ROOT.glob("configs/*/*.py")}
    assert {name for name in configs if not name.startswith("base/")} == set(
        listing.entries("configs")) <= set(words)
    assert set(listing.KINDS) <= set(words)


def test_one_kind_is_listed_alone(capsys):
    listing.main(["bdlzoo list", "likelihoods"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(bdlzoo.likelihoods.__all__)
    assert lines[0].split()[0] == "Bernoulli"


def test_other_data_are_told(capsys):
    listing.main(["bdlzoo list", "data"])
    assert "any name of TFDS" in (told := capsys.readouterr().out)
    assert "usps" in told and "metro_traffic" in told


def test_unknown_kind_gets_the_nearest_one(capsys):
    with pytest.raises(SystemExit):
        listing.main(["bdlzoo list", "metods"])
    assert "Did you mean methods? Received: metods" in capsys.readouterr().err


def test_data_of_folders_are_listed(tmp_path, monkeypatch):
    for file in ("uci/yacht.npz", "plain/usps.npz", "tfds/mnist/3.0.1/a",
                 "uci/Metro_Interstate_Traffic_Volume.csv.gz", "tfds/downloads/a"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    bundled = {"digits", "breast_cancer", "diabetes", "moons", "sine", "binary_toy",
               "scenes"}
    monkeypatch.setenv("BDLZOO_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "tfds"))
    assert set(listing.entries("data")) == bundled | {
        "uci/yacht", "usps", "metro_traffic", "mnist"}
    monkeypatch.delenv("BDLZOO_DATA_DIR")
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path / "none"))
    assert set(listing.entries("data")) == bundled
