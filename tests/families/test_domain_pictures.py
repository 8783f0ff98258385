"""Figures of two domains are made of the rows of both."""

import numpy as np

from bdlzoo import reports
from bdlzoo.data import Split
from bdlzoo.families.domain_pictures import domain_pictures
from bdlzoo.methods import SourceOnly
from tests.families.domains import TARGET, X, Y, compiled, network


def test_pictures_name_functions_of_reports_and_their_arguments():
    model = compiled(SourceOnly(network(), features="hidden", seed=0))
    model.build((None, 4))
    model.calibration.temperature.assign(2.0)
    found = domain_pictures(model, X, Split(TARGET, Y), {"target_accuracy": [0.5]})
    assert all(hasattr(reports, kind) for kind, _ in found.values())
    assert found["domain_curves"][1] == {"history": {"target_accuracy": [0.5]}}
    plane = found["feature_plane"][1]
    np.testing.assert_allclose(plane["target"], model.encoder(TARGET), atol=1e-6)
    np.testing.assert_array_equal(plane["target_classes"], Y)
    before, after = (found[f"target_reliability_{name}_calibration"][1]
                     for name in ("before", "after"))
    np.testing.assert_allclose(after["probabilities"], model.predict(
        TARGET, verbose=0), atol=1e-6)
    assert before["probabilities"].max() > after["probabilities"].max()
    assert domain_pictures(model, X) == {}
