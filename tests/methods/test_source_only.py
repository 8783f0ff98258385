"""Source only is the deterministic network."""

import keras
import numpy as np

from bdlzoo.methods import Deterministic, SourceOnly
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def test_target_changes_nothing():
    found = []
    for kind, extra in ((Deterministic, {}), (SourceOnly, {}),
                        (SourceOnly, {"target": (TARGET, Y)})):
        keras.utils.set_random_seed(0)
        model = compiled(kind(network(norm=True), prior_scale=0.5, seed=0))
        model.fit(X, Y, batch_size=24, epochs=3, shuffle=False, verbose=0, **extra)
        found.append(weights(model))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)
