"""Tests of DBSN beside others on images, small, on the bundled digits."""

import numpy as np
import pytest

from bdlzoo.layers import ConcreteStructure
from tools.reproduce import dbsn_fashion

TINY = dict(stages=(1,), num_nodes=3, growth=2, stem=4, num_samples=3)
SMALL = dict(name="digits", outside="permuted", num_train=192, num_test=60,
             num_outside=40, epochs=1, **TINY)


@pytest.mark.slow
@pytest.mark.parametrize("method", dbsn_fashion.METHODS)
def test_every_method_gives_all_scores(method):
    found = dbsn_fashion.run(method=method, **SMALL)
    for score in ("accuracy", "nll", "brier", "ece"):
        assert found[f"{score}_low"] <= found[score] <= found[f"{score}_high"], score
    for score in ("auroc_entropy", "auroc_mi", "train_accuracy"):
        assert 0 <= found[score] <= 1, score
    assert (found["auroc_mi"] == 0.5) == (method in ("map", "fixed"))


def test_network_of_the_table_is_within_its_size():
    model = dbsn_fashion.build("dbsn", (28, 28, 1), 10_000, 15)
    model.build((None, 28, 28, 1))
    assert model.network.count_params() <= 60_000
    stem = model.network.layers[1] if not isinstance(
        model.network.layers[1], ConcreteStructure) else model.network.layers[2]
    assert stem.output.shape[1:3] == (14, 14)
    np.testing.assert_allclose(model.prior_scale, 1.0)  # A decay of 1e-4.


def test_flipout_is_the_fixed_network_with_a_posterior():
    twin = dbsn_fashion.build("mean_field_vi", (8, 8, 1), 64, 5, **TINY)
    fixed = dbsn_fashion.build("fixed", (8, 8, 1), 64, 5, **TINY)
    x = np.random.default_rng(0).uniform(size=(4, 8, 8, 1)).astype("float32")
    # Outside of draws it is its mean, the network it was made of.
    np.testing.assert_allclose(twin.network(x), fixed.sample_outputs(x, 1)[0],
                               rtol=1e-3, atol=1e-4)
    assert np.ptp(twin.sample_outputs(x, 3), axis=0).max() > 1e-4


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='darts'"):
        dbsn_fashion.build("darts", (8, 8, 1), 64, 1)
