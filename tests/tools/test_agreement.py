"""The page of agreement is of this zoo, and of all the other libraries."""

import pathlib

import numpy as np
import pytest

from tools.agreement import inputs, ours

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "agreement.md"
LIBRARIES = {"scikit-learn", "torchmetrics", "netcal", "scoringrules", "baal", "MAPIE",
             "TorchCP", "torchattacks"}
ATTACKED = "accuracy under the default attacks", "the same, logits times 1,000"


def _rows():
    """Figure, library, ours, theirs and difference of each line of the table."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in PAGE.read_text().splitlines() if line.startswith("|")][2:]
    return [(figure, library, *map(float, numbers))
            for figure, library, *numbers in cells]


def _check(found):
    """Compares figures, which the page has with six digits."""
    shown = {figure: ours for figure, _, ours, _, _ in _rows()}
    assert found and set(found) <= {*shown, "APS sets", "RAPS sets"}
    for name in set(found) & set(shown):
        np.testing.assert_allclose(np.mean(found[name]), shown[name], rtol=5e-6,
                                   err_msg=name)


def test_all_libraries_ran_and_agree():
    assert {library.rpartition(" ")[0] for _, library, *_ in _rows()} == LIBRARIES
    assert PAGE.read_text().endswith("did not run\n\nNone.\n")
    for figure, library, mine, theirs, difference in _rows():
        most = 2.6e-3 if figure in ATTACKED else 1e-6  # An image of 397.
        assert difference <= most, (figure, library)
        assert np.isnan([mine, theirs]).all() or abs(mine - theirs) <= max(
            most, 2e-6 * abs(theirs))


def test_figures_of_the_page_are_those_of_this_zoo(monkeypatch):
    monkeypatch.setattr(inputs, "_network", dict)
    monkeypatch.setattr(ours, "_attacked", lambda given: {})
    _check(ours.figures(inputs.made()))


@pytest.mark.slow
def test_accuracy_under_attacks_of_the_page_is_that_of_this_zoo():
    given = inputs.made()
    found = ours.figures(given)
    _check({name: found[name] for name in found if name not in ATTACKED})
    shown = {figure: ours for figure, _, ours, _, _ in _rows()}
    for name in ATTACKED:
        assert abs(found[name] - shown[name]) <= 2.6e-3
