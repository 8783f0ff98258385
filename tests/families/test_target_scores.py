"""Scores of the target, for which alone its labels are used."""

import numpy as np
import pytest
from absl import logging

from bdlzoo.families.target_scores import TargetScores, scores
from bdlzoo.methods import SourceOnly
from tests.families.domains import TARGET, Y, network


def test_scores_of_four_rows():
    probabilities = np.array([[.95, .05], [.92, .08], [.6, .4], [.3, .7]], "float32")
    found = scores(probabilities, [0, 1, 0, 1])
    assert found["target_accuracy"] == 0.75 and found["pseudo_share"] == 0.5
    assert found["pseudo_accuracy"] == 0.5
    # Every row has a bin of its own among 15.
    expected = (abs(.95 - 1) + .92 + abs(.6 - 1) + abs(.7 - 1)) / 4
    np.testing.assert_allclose(found["target_ece"], expected, rtol=1e-5)


def test_no_sure_row_has_no_accuracy():
    assert scores(np.full((3, 2), 0.5), [0, 0, 1])["pseudo_accuracy"] == 0.0


def test_a_target_with_fewer_classes_is_told(caplog):
    logging.set_verbosity(logging.INFO)
    with caplog.at_level("INFO"):
        TargetScores(SourceOnly(network()), TARGET[:16], Y[:16])
    assert "evaluation only" in caplog.text and "classes [2]" in caplog.text


@pytest.mark.parametrize("labels, words", [(Y[:-1], "as many targets"),
                                           (Y + 1, "class indices")])
def test_wrong_labels_are_refused(labels, words):
    with pytest.raises(ValueError, match=words):
        TargetScores(SourceOnly(network()), TARGET, labels)
