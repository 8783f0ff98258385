"""The page of a card has what the card says, and tables of its figures."""

from bdlzoo.model.preset_card import card_page


def test_page_has_the_words_and_the_figures_of_the_card():
    page = card_page({
        "name": "digits/mc_dropout", "title": "MC dropout", "method": "MCDropout",
        "weights": 12345, "seed": 2026, "sha256": "ab", "outside": ["uniform"],
        "figures": {"accuracy": 0.98765}, "latency": {"1 row": 2.34567}})
    assert page.startswith("# MC dropout\n")
    assert 'bdlzoo.from_preset("digits/mc_dropout")' in page
    for line in ("| Method | `MCDropout` |", "| Weights | 12,345 |", "| Seed | 2026 |",
                 "| accuracy | 0.9877 |", "| 1 row | 2.346 |"):
        assert line in page.splitlines(), line
    assert "Licence" not in page and "outside" not in page


def test_a_card_without_a_title_has_the_method():
    assert card_page({"method": "SGLD"}).startswith("# SGLD\n")
