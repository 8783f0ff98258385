"""Curves of both domains."""

from bdlzoo.reports import domain_curves


def test_lines_are_the_logs_in_per_cent():
    figure = domain_curves({"accuracy": [0.5, 0.9], "target_accuracy": [0.2, 0.6],
                            "pseudo_share": [0.1, 0.3]})
    left, right = figure.axes
    assert [line.get_ydata().tolist() if hasattr(line.get_ydata(), "tolist")
            else list(line.get_ydata()) for line in left.lines] == [
                [50.0, 90.0], [20.0, 60.0]]
    assert [text.get_text() for text in left.get_legend().get_texts()] == [
        "source, training rows", "target"]
    assert len(right.lines) == 1


def test_no_logs_leave_an_empty_panel():
    assert not domain_curves({}).axes[0].lines
