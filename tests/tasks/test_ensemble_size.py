"""The scores of first members are those of ensembles of that size."""

import numpy as np

from bdlzoo.tasks import ensemble_size


def test_scores_by_size_on_digits():
    scores = ensemble_size.run(name="digits", num_members=3, steps=30, limit=512,
                               batch_size=64, network="SmallCNN")
    assert scores["nll"] == scores["nll_3"]
    assert scores["accuracy"] > 0.5
    # By Jensen; three together also beat the mean of the three by a margin.
    assert scores["nll"] < scores["nll_member"] - 0.01
    np.testing.assert_allclose(  # The first alone is one of those.
        scores["nll_1"], scores["nll_member"], rtol=0.5)
    assert {f"{m}_{k}" for m in ("accuracy", "nll", "ece")
            for k in (1, 2, 3)} <= scores.keys()
