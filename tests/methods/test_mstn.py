"""MSTN: RevGrad, and centroids by what the network itself says."""

import keras
import numpy as np

from bdlzoo.families.class_centroids import centroids
from bdlzoo.methods import MSTN, RevGrad
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def _trained(kind, rate=0.1, **options):
    keras.utils.set_random_seed(0)
    model = compiled(kind(network(), seed=0, discriminator=(4,), **options), rate)
    logs = model.fit(X, Y, target=TARGET, batch_size=24, verbose=0).history
    return model, logs


def test_semantic_loss_is_that_of_the_first_batch():
    model, logs = _trained(MSTN, rate=0.0, semantic_weight=2.0)
    source, target = (np.asarray(model.network(rows)) for rows in (X, TARGET))
    means = [0.3 * np.asarray(centroids(features, labels, 3)[0])
             for features, labels in ((source, Y), (target, target.argmax(1)))]
    expected = np.square(means[0] - means[1]).mean(axis=1).sum()
    np.testing.assert_allclose(logs["semantic"][0], expected, rtol=1e-4)
    np.testing.assert_allclose(
        logs["alignment"][0], 0.1 * logs["domain"][0] + 2 * expected, rtol=1e-4)


def test_without_its_weight_it_is_rev_grad():
    plain, _ = _trained(RevGrad, reversal=1.0)
    model, _ = _trained(MSTN, reversal=1.0, semantic_weight=0.0)
    for a, b in zip(weights(plain), weights(model), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_options_are_saved():
    again = MSTN.from_config(MSTN(network(), centroid_rate=0.5,
                                  semantic_weight=0.7).get_config())
    assert (again.centroid_rate, again.semantic_weight) == (0.5, 0.7)
