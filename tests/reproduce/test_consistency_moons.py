"""Maps of two moons with six labels."""

import numpy as np

from tools.reproduce import consistency_moons


def test_maps_of_the_moons():
    found = consistency_moons.maps(num_steps=2, size=5)
    assert set(found["panels"]) == {"supervised", "Pi-model", "mean teacher"}
    assert found["panels"]["Pi-model"].shape == (5, 5)
    assert len(found["labelled"]) == 6 and np.bincount(found["classes"]).tolist() == [
        3, 3]
