"""The tool trains a preset, and its card has what was measured."""

import pytest

import bdlzoo
from bdlzoo import runs
from tools import presets as tool


def test_a_quick_run_becomes_a_preset(tmp_path):
    preset = tool.PRESETS["digits/mc_dropout"]
    folder = tool.write(preset, tmp_path / "runs", tmp_path / "presets", "smoke")
    card = bdlzoo.presets.card_of(folder)
    assert {"accuracy", "nll", "ece", "auroc_uniform"} <= card["figures"].keys()
    assert card["latency"].keys() == {"1 row", "64 rows"}
    config = tool.config_of(preset.config, {}, "smoke")
    found = bdlzoo.presets.figures(bdlzoo.from_preset(folder),
                                   runs.load_data(config)["test"], card["outside"])
    assert found == pytest.approx(card["figures"], rel=1e-6)
    assert "## Measured on test rows" in (folder / "README.md").read_text()


def test_names_are_chosen():
    assert tool.chosen(["all"]) == list(tool.PRESETS)
    assert tool.chosen(["none"]) == []
    assert tool.chosen(["digits/vae"]) == ["digits/vae"]
    for wrong in ([], ["digits/vea"]):
        with pytest.raises(ValueError, match="--name=all, none"):
            tool.chosen(wrong)


def test_every_preset_has_a_config_and_every_card_a_preset():
    for preset in tool.PRESETS.values():
        assert preset.config in runs.config_names()
    assert bdlzoo.presets.available().keys() <= tool.PRESETS.keys()
