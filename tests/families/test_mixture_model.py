"""What models whose classes are components of a density answer, row by row."""

import numpy as np
import pytest

from bdlzoo.methods import SemiSupervisedVAE
from bdlzoo.networks import MLP

IMAGES = np.random.default_rng(1).uniform(size=(5, 4, 4, 1)).astype("float32")


@pytest.fixture(scope="module")
def model():
    found = SemiSupervisedVAE(
        MLP((4, 4, 1), (8,), 3), MLP((4, 4, 1), (8,), 12), MLP((6,), (8,), 16), seed=0,
        num_samples=3)
    found.build((None, 4, 4, 1))
    # So that codes differ and components do.
    rng = np.random.default_rng(2)
    for part in (found.network, found.encoder, found.decoder):
        part.set_weights([rng.normal(size=w.shape) for w in part.get_weights()])
    return found


def test_a_row_alone_is_the_row_in_its_batch(model):
    for answer in (model.bound, lambda x: model.transfer(x, 1)):
        np.testing.assert_allclose(answer(IMAGES)[3:4], answer(IMAGES[3:4]), rtol=1e-4)


@pytest.mark.parametrize("ask", [
    lambda found: found.bound(IMAGES), lambda found: found.encode(IMAGES).probs])
def test_the_first_question_builds_the_model(model, ask):
    assert np.isfinite(ask(SemiSupervisedVAE.from_config(model.get_config()))).all()


def test_seed_decides_the_draws(model):
    for answer in (lambda seed: model.bound(IMAGES, seed=seed),
                   lambda seed: model.log_likelihood(IMAGES, 4, seed=seed),
                   lambda seed: model.generate(4, labels=2, seed=seed)):
        np.testing.assert_array_equal(answer(3), answer(3))
        assert np.abs(answer(3) - answer(4)).max() > 1e-4
    np.testing.assert_array_equal(model.generate(2, seed=3),
                                  model.generate(4, seed=3)[:2])


def test_bound_is_above_the_log_likelihood(model):
    assert (model.bound(IMAGES, 200) > -model.log_likelihood(IMAGES, 200)).all()


def test_config_names_what_is_needed(model):
    sizes = SemiSupervisedVAE.network_arguments(
        {"network": {"outputs": 3}, "latent": 2}, (4, 4, 1))
    assert sizes == {"encoder": {"input_shape": (4, 4, 1), "outputs": 12},
                     "decoder": {"input_shape": (6,), "outputs": 16}}
    again = SemiSupervisedVAE.from_config(model.get_config())
    again.build((None, 4, 4, 1))
    again.set_weights(model.get_weights())
    np.testing.assert_allclose(again.bound(IMAGES), model.bound(IMAGES), rtol=1e-6)
