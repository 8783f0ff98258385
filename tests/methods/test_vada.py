"""VADA: RevGrad, virtual adversaries and the entropy of the target."""

import keras
import numpy as np

from bdlzoo.families.virtual_adversary import entropy
from bdlzoo.methods import VADA, RevGrad
from tests.families.domains import TARGET, X, Y, compiled, network, weights


def _trained(kind, rate=0.1, **options):
    keras.utils.set_random_seed(0)
    model = compiled(kind(network(), seed=0, discriminator=(4,), reversal=1.0,
                          domain_weight=0.1, **options), rate)
    logs = model.fit(X, Y, target=TARGET, batch_size=24, verbose=0).history
    return model, logs


def test_without_its_terms_it_is_rev_grad():
    plain, _ = _trained(RevGrad)
    model, _ = _trained(VADA, epsilon=0.0, entropy_weight=0.0)
    for a, b in zip(weights(plain), weights(model), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_loss_is_the_sum_of_its_terms():
    model, logs = _trained(VADA, rate=0.0, epsilon=0.5, entropy_weight=0.3)
    expected = np.mean(entropy(np.asarray(model.network(TARGET))))
    np.testing.assert_allclose(logs["entropy"][0], expected, rtol=1e-5)
    assert logs["virtual"][0] > 0
    np.testing.assert_allclose(
        logs["alignment"][0], 0.1 * logs["domain"][0] + 0.3 * expected
        + logs["virtual"][0], rtol=1e-5)


def test_options_are_saved():
    options = dict(epsilon=1.0, entropy_weight=0.2, source_weight=0.3,
                   target_weight=0.4)
    again = VADA.from_config(VADA(network(), **options).get_config())
    assert {name: getattr(again, name) for name in options} == options
