"""The default attacks are not blind, whatever the scale of logits."""

import numpy as np
import pytest

from bdlzoo.attacks import APGD, default_attacks
from bdlzoo.evaluation.robustness import robustness
from tests.attacks.test_apgd import X, Y, _bumpy, _network


@pytest.mark.slow
def test_default_attacks_see_through_large_logits():
    """Cross entropy is blind there; the other two find what they find without."""
    sharp, plain = _bumpy(1000.0), _bumpy()
    y = np.argmax(plain(X), axis=-1)
    found = robustness(sharp, X, y, epsilon=0.1, batch_size=16)
    expected = robustness(plain, X, y, epsilon=0.1, batch_size=16)
    np.testing.assert_array_equal(found.robust, expected.robust)
    assert found.accuracy()["a_rob"] < 0.9
    assert list(found.accuracy()) == ["natural", "apgd_ce", "apgd_dlr",
                                      "apgd_targeted", "a_rob"]


def test_two_classes_have_the_margin_in_place_of_the_ratio():
    kinds = {name: type(attack.loss).__name__
             for name, attack in default_attacks(0.1, 2).items()}
    assert kinds["apgd_dlr"] == "MarginLoss"
    assert type(default_attacks(0.1, 3)["apgd_dlr"].loss).__name__ == "DLRLoss"
    with pytest.raises(ValueError, match="three classes or more.*MarginLoss"):
        APGD(0.1, loss="DLRLoss")(_network(classes=2), X, Y % 2)
    with pytest.raises(ValueError, match="Expected `attacks`, or `epsilon`"):
        robustness(_network(), X, Y)
