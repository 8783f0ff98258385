"""The page of choices has the advice of the README and what was measured."""

import re

from bdlzoo import presets
from tools import choosing_page as tool

PAGE = tool.page()


def test_committed_page_is_up_to_date():
    """`python -m tools.choosing_page` writes it again."""
    assert (tool.ROOT / "docs/choosing.md").read_text() == PAGE


def test_links_and_pictures_are_there():
    for path in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (tool.ROOT / "docs" / path).exists(), path
    assert PAGE.count("![") == 2


def test_every_classifier_of_digits_is_a_row_with_the_figures_of_its_card():
    names = {card["name"] for card in tool.cards()}
    assert "digits/mc_dropout" in names and "digits/vae" not in names
    for name in names:
        card = presets.card_of(name)
        [row] = re.findall(rf"^\| \[{name}\].*", PAGE, re.M)
        assert f"| {card['figures']['accuracy']:.4g} |" in row
        assert f"| {card['latency']['64 rows']:.4g} |" in row
    times = [card["latency"]["64 rows"] for card in tool.cards()]
    assert times == sorted(times)


def test_cost_of_training_is_that_of_the_benchmark():
    ratios = tool.ratios()
    assert len(ratios) > 15 and 0.5 < ratios["Deterministic"] < 2
    assert list(ratios.values()) == sorted(ratios.values())


def test_pictures_show_every_preset_and_method():
    cards, ratios = tool.cards(), tool.ratios()
    left, right = tool.quality(cards).axes
    for axes in (left, right):
        assert len(axes.texts) == len(cards)
    [axes] = tool.training(ratios).axes
    assert len(axes.get_yticklabels()) == len(ratios)
