"""R2 against scikit-learn, also far from zero."""

import keras
import numpy as np
import pytest
from sklearn import metrics

from bdlzoo.metrics import R2


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("num_outputs", [1, 2])
def test_stream_matches_scikit_learn(offset, num_outputs):
    rng = np.random.default_rng(0)
    y = offset + rng.normal(size=(90, num_outputs))
    mean = y + 0.5 * rng.normal(size=y.shape)
    weight = rng.uniform(size=90)
    r2 = R2(num_outputs)
    for rows in (slice(40), slice(40, None)):
        r2.update_state(y[rows], mean[rows], sample_weight=weight[rows])
    np.testing.assert_allclose(
        r2.result(), metrics.r2_score(y, mean, sample_weight=weight), atol=1e-6)


def test_flat_targets_are_not_broadcast():
    r2 = R2()
    r2.update_state(np.arange(4.0), np.arange(4.0)[:, None])
    assert float(r2.result()) == 1.0


def test_config_round_trip():
    copy = keras.saving.deserialize_keras_object(
        keras.saving.serialize_keras_object(R2(3)))
    assert copy.num_outputs == 3 and copy.name == "r2"
