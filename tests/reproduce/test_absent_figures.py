"""Published figures without a line are listed, each with its reason."""

from tools.reproduce import registry, summary
from tools.reproduce.absent_figures import ABSENT


def test_figures_without_a_line_have_a_reason():
    lines = summary.summary([]).splitlines()
    listed = lines[lines.index("## Published figures without a line"):]
    for absent in ABSENT:
        assert f"* {absent.figures} ({absent.source}): {absent.reason}" in listed
        assert absent.reason.endswith(".") and len(absent.reason.split()) > 5


def test_none_of_them_is_a_line_of_a_table():
    labels = {row.label for table in registry.tables().values() for row in table.rows}
    assert not labels & {absent.figures for absent in ABSENT}
    assert len({absent.figures for absent in ABSENT}) == len(ABSENT)
