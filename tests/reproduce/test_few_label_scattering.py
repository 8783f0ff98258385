"""Few labels, on the digits."""

import numpy as np
import pytest

from tools.reproduce import few_label_scattering as experiment


@pytest.mark.slow
def test_few_rows_train_and_all_test_rows_are_scored():
    options = dict(name="digits", outside="digits", num_train=100, epochs=100,
                   num_samples=8, network="mlp")
    found = experiment.run(**options)
    assert set(found) == {*experiment.TABLE.metrics}
    assert found["accuracy"] > 0.8 and found["auroc_entropy"] > 0.6
    # Rows of the same set cannot be told from each other.
    assert found["outside_auroc"] == pytest.approx(0.5)
    assert all(np.isfinite(value) for value in found.values())


def test_unknown_networks_are_refused():
    with pytest.raises(ValueError, match="network='vgg'"):
        experiment.run(network="vgg")
