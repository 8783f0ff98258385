"""Cards of the presets of the package have the figures that the models reach."""

import numpy as np
import pytest

import bdlzoo
from bdlzoo import presets, runs
from tools.presets import config_of

NAMES = sorted(presets.available())
_QUICK = {"digits/mc_dropout", "digits/discrete_vae", "diabetes/mc_dropout"}


@pytest.mark.parametrize("name", [
    name if name in _QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in NAMES])
def test_a_loaded_preset_reaches_the_figures_of_its_card(name):
    card = presets.card_of(name)
    test = runs.load_data(config_of(card["config"], card["changes"]))["test"]
    found = presets.figures(bdlzoo.from_preset(name), test, card["outside"])
    assert found.keys() == card["figures"].keys()
    for word, value in card["figures"].items():  # Four digits are printed.
        np.testing.assert_allclose(found[word], value, rtol=1e-5, atol=1e-6,
                                   err_msg=word)


def test_presets_are_small():
    assert sum(presets.card_of(name)["bytes"] for name in NAMES) < 20e6
