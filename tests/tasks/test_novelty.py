"""AUROC and the strange inputs it is measured on."""

import numpy as np

from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP
from bdlzoo.tasks import novelty


def test_auroc_counts_ordered_pairs():
    assert novelty.novelty_auroc([0.1, 0.2], [0.3, 0.4]) == 1.0
    assert novelty.novelty_auroc([0.1, 0.4], [0.2, 0.5]) == 0.75
    assert novelty.novelty_auroc([0.1, 0.1], [0.1, 0.1]) == 0.5


def test_permuted_images_keep_their_pixels_each_in_its_own_order():
    images = np.arange(2 * 16, dtype="float32").reshape(2, 4, 4, 1)
    permuted = novelty.permuted_pixels(images)
    np.testing.assert_array_equal(np.sort(permuted.reshape(2, -1)),
                                  images.reshape(2, -1))
    assert not np.array_equal(permuted[0], permuted[1] - 16)


def test_noise_has_the_shape_and_range_of_images():
    sample = novelty.uniform_noise(np.zeros((50, 8, 8, 1)))
    assert sample.shape == (50, 8, 8, 1)
    assert 0 < sample.min() and sample.max() < 1 and abs(sample.mean() - 0.5) < 0.02


def test_disagreement_is_the_mutual_information_of_each_set():
    model = MCDropout(MLP((4, 4, 1), (16,), 3, dropout=0.5), seed=0)
    images = np.random.default_rng(0).uniform(size=(9, 4, 4, 1)).astype("float32")
    scores = novelty.disagreement(model, images, seed=2)
    assert list(scores) == ["test set", "uniform noise", "permuted pixels"]
    np.testing.assert_allclose(
        scores["test set"], model.predict_uncertainty(images, seed=2)
        .mutual_information)
    assert scores["test set"].min() > 0
