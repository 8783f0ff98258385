"""The page of the gauntlet: which cells run, and what is written of them."""

import json
import pathlib

import pytest

from tests.gauntlet.networks import NETWORKS
from tests.gauntlet.record import DOORS
from tools import networks_page

ROOT = pathlib.Path(__file__).parents[2]


def _verdict(status="ok", text="", **facts):
    return {"status": status, "text": text, "seconds": 60.0, **facts}


@pytest.fixture
def results(tmp_path):
    return networks_page.Results(tmp_path / "networks.json")


def test_flags_name_cells():
    cells = networks_page.chosen(["mlp", "unet"], ["sgld", "adopted"])
    assert cells == [("mlp", "sgld"), ("mlp", "adopted"), ("unet", "sgld"),
                     ("unet", "adopted")]
    assert len(networks_page.chosen(["all"], DOORS)) == len(NETWORKS) * len(DOORS)
    assert networks_page.chosen(["none"], DOORS) == []
    with pytest.raises(ValueError, match="Received: --networks=nothing"):
        networks_page.chosen(["mlp", "nothing"], DOORS)
    with pytest.raises(ValueError, match="Received: --doors=window"):
        networks_page.chosen(["mlp"], ["window"])


def test_later_run_goes_on_with_bad_and_missing_cells(results, monkeypatch):
    asked = []

    def judged(group, folder):
        asked.append(group)
        assert pathlib.Path(folder).is_dir()
        return {cell: _verdict("bad" if cell[1] == "sgld" else "ok") for cell in group}

    monkeypatch.setattr(networks_page.cells, "judged", judged)
    wanted = networks_page.chosen(["mlp", "cnn"], ["sgld", "adopted"])
    networks_page.run(results.missing(wanted, again=False), results)
    assert asked == [wanted]
    later = networks_page.Results(results.path)
    assert later.missing(wanted, again=False) == [("mlp", "sgld"), ("cnn", "sgld")]
    assert later.missing(wanted, again=True) == wanted
    networks_page.run([], later)
    assert len(asked) == 1


def test_groups_of_networks_share_processes_two_at_a_time(results, monkeypatch):
    groups = []
    monkeypatch.setattr(networks_page.cells, "judged", lambda group, folder: (
        groups.append(group) or {cell: _verdict() for cell in group}))
    cells = networks_page.chosen(["all"], ["adopted"])
    networks_page.run(cells, results, jobs=2)
    assert sorted(cell for group in groups for cell in group) == sorted(cells)
    assert max(map(len, groups)) == networks_page._GROUP
    assert json.loads(results.path.read_text()) == results.known


def test_page_counts_by_door_and_explains_below():
    text = networks_page.page({
        "mlp": {"sgld": _verdict(), "adopted": _verdict("bad", "load: 1 | 2 apart"),
                "bayesianize": _verdict(posterior=0.25)},
        "without_noise": {"mc_dropout": _verdict("lacks", "no dropout")},
        "two_outputs": {"sgld": _verdict("refused", "one model is one output")}})
    assert "| sgld | `SGLD(network)` | 1 of 1 | 1 | 0 |" in text
    assert "| adopted | `evaluation.adopted(network, x)` | 0 of 1 | 0 | 1 |" in text
    assert "| mc_dropout | `MCDropout(network)` | 0 of 0 | 0 | 0 |" in text
    [row] = [line for line in text.splitlines() if line.startswith("| `mlp` ")]
    assert row.startswith("| `mlp` | MLP | ") and row.endswith("| 25 % |")
    [number] = [line[0] for line in text.splitlines()
                if line.endswith(r"load: 1 \| 2 apart")]
    assert f"| bad ({number}) |" in row
    assert "The cells took 5 minutes" in text


def test_committed_page_is_written_from_the_committed_verdicts():
    """`python -m tools.networks_page --networks=none` writes it again."""
    known = networks_page.Results(ROOT / "docs/networks.json").known
    lines = networks_page.page(known).splitlines()
    committed = (ROOT / "docs/networks.md").read_text().splitlines()
    # The machine is another one.
    assert [line for line in committed if "of one core" not in line] == [
        line for line in lines if "of one core" not in line]


@pytest.mark.slow
def test_committed_page_has_every_cell_and_no_bad_one():
    known = networks_page.Results(ROOT / "docs/networks.json").known
    assert {*known} == {*NETWORKS}
    for name, verdicts in known.items():
        assert {*verdicts} == {*DOORS}, name
        assert "bad" not in {found["status"] for found in verdicts.values()}, name
