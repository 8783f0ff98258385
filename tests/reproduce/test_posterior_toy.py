"""The toy of the plane, small."""

import numpy as np
import pytest

from bdlzoo.methods import AdversarialPosteriorDistillation
from tools.reproduce import posterior_toy

SMALL = dict(num_steps=3000, burn_in=1000, num_samples=32, gan_steps=7)


def test_points_are_two_clouds():
    x, y = (np.concatenate(part) for part in zip(*map(
        posterior_toy.points, range(40))))
    assert len(x) == 800
    for label, centre in ((0, -2), (1, 2)):
        cloud = x[y == label]
        assert len(cloud) == 400
        np.testing.assert_allclose(cloud.mean(axis=0), centre, atol=0.1)
        np.testing.assert_allclose(cloud.var(axis=0), 0.3, rtol=0.25)


def test_far_away_is_as_far_from_one_class_as_from_the_other():
    far = posterior_toy.far_away()
    np.testing.assert_allclose(np.linalg.norm(far, axis=1), 6, rtol=1e-5)
    np.testing.assert_allclose(far.mean(axis=0), 0, atol=1e-5)
    # The sum of coordinates is sqrt(2) times the distance to the diagonal.
    assert np.abs(far.sum(axis=1)).max() <= 6 * np.sqrt(2) * np.sin(np.radians(30.1))
    assert len(np.unique(far.round(4), axis=0)) == len(far)


def test_a_chain_is_less_sure_far_away_and_one_network_is_not():
    sgd, sgld = (posterior_toy.run(0, method, **SMALL) for method in ("sgd", "sgld"))
    assert sgd["accuracy"] == sgld["accuracy"] == 1.0
    assert sgd["confidence_fall"] < 0.15
    assert sgld["confidence_fall"] > 0.2
    assert sgd["information_far"] == pytest.approx(0, abs=1e-6)
    assert sgld["information_far"] > 3 * sgld["information_near"]
    assert sgld["confidence_fall"] == pytest.approx(
        sgld["confidence_near"] - sgld["confidence_far"])


def test_the_generator_learns_the_samples_of_the_chain_of_its_seed(monkeypatch):
    seen = []
    monkeypatch.setattr(AdversarialPosteriorDistillation, "distill",
                        lambda self, *args, **kwargs: seen.append(args))
    model = posterior_toy.trained(0, "apd", **SMALL)
    [(samples, steps)] = seen
    assert samples.shape == (100, 1, 162) and steps == 7
    np.testing.assert_array_equal(
        samples, posterior_toy.trained(0, "sgld", **SMALL).kept_samples())
    assert (model.gan.width, model.gan.latent) == (50, 100)
    for optimizer in (model.gan.optimizer, model.gan.critic_optimizer):
        assert float(optimizer.learning_rate) == pytest.approx(5e-4)


def test_maps_hold_all_methods_on_one_grid(monkeypatch):
    class Stand:
        def predict_uncertainty(self, grid):
            self.confidence = grid[:, 1]
            return self

    monkeypatch.setattr(posterior_toy, "trained", lambda seed, method: Stand())
    drawn = posterior_toy.maps(size=5)
    assert list(drawn["panels"]) == ["SGD", "MC dropout", "SGLD", "APD"]
    np.testing.assert_allclose(drawn["side"], [-6, -3, 0, 3, 6])
    # A row has one second coordinate.
    np.testing.assert_allclose(drawn["panels"]["APD"][:, 2], drawn["side"])


def test_a_wrong_method_is_refused():
    with pytest.raises(ValueError, match="method='hmc'"):
        posterior_toy.run(method="hmc")
