"""The report of a choice shows the figures that it is given, and the reasons."""

import json

from bdlzoo.reports import choice_report, choice_table
from tests.reports.test_quality_against_cost import MODELS

CONTENT = {"title": "Which model for <digits>?", "facts": {"Epochs": "2"},
           "take": "large", "reasons": ["large has the lowest loss, 0.200."],
           "left_out": {"huge": "it would take 900 s, and 3 were left"},
           "models": {name: {**model, "accuracy": 0.9, "megabytes": 1.25}
                      for name, model in MODELS.items()}}


def test_page_has_reasons_figures_and_the_picture(tmp_path):
    page = choice_report(CONTENT, tmp_path).read_text()
    assert "Which model for &lt;digits&gt;?" in page and "Take large" in page
    assert "large has the lowest loss, 0.200." in page
    assert "huge was left out: it would take 900 s, and 3 were left." in page
    assert "<th scope=\"row\">large (taken)</th>" in page and "<td>1.25</td>" in page
    assert "Accuracy" in page and "RMSE" not in page  # A score that no model has.
    assert (tmp_path / "plots/quality_against_cost.png").read_bytes()[:4] == b"\x89PNG"
    assert json.loads((tmp_path / "choice.json").read_text()) == CONTENT


def test_table_has_a_line_for_each_model():
    title, heads, *lines = choice_table(CONTENT).splitlines()
    assert title == CONTENT["title"] and len(lines) == 2
    assert heads.split()[:2] == ["model", "Loss"]
    assert lines[1].split()[:3] == ["large", "0.2", "0.01"]
