"""The table of out-of-distribution scores, on the digits."""

import numpy as np
import pytest

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.methods import Deterministic, MCDropout, MeanFieldVI
from tools.reproduce import vardo_table


@pytest.fixture
def static(monkeypatch):
    """An out set of images of nothing, smaller than the digits."""
    load = data.load

    def with_static(name, split, **options):
        if name != "static":
            return load(name, split, **options)
        x = noise.uniform([400, 6, 6, 1], noise.key(0, noise.ORDER)).numpy()
        return data.Split(x, np.arange(400, dtype="int32") % 10)

    monkeypatch.setattr(vardo_table.data, "load", with_static)


def _run(predictor, **options):
    return vardo_table.run(**{**dict(
        predictor=predictor, name="digits", ood="static", epochs=12, rate=0.3,
        filters=(8,), hidden=(32,), batch_size=64, learning_rate=5e-3,
        num_test=200, prior_scale=0.3, init_scale=0.05), **options})


def test_small_grey_images_sit_in_the_middle_with_equal_channels():
    images = np.arange(2 * 28 * 28, dtype="float32").reshape(2, 28, 28, 1)
    fitted = vardo_table.fitted(images, (32, 32, 3))
    assert fitted.shape == (2, 32, 32, 3)
    for channel in range(3):
        np.testing.assert_array_equal(fitted[:, 2:30, 2:30, channel], images[..., 0])
    assert fitted.sum() == 3 * images.sum()
    with pytest.raises(ValueError, match="Received: images of"):
        vardo_table.fitted(images, (16, 16, 3))


@pytest.mark.slow
def test_vardo_knows_best_that_static_is_no_digit(static):
    softmax, vardo = _run("softmax"), _run("vardo")
    assert min(softmax["accuracy"], vardo["accuracy"]) > 0.85
    assert vardo["ood_entropy"] > softmax["ood_entropy"]
    assert vardo["ood_loss"] < softmax["ood_loss"]
    for found in (softmax, vardo):
        assert 0 < found["entropy"] < found["ood_entropy"] < np.log(10)
        assert 0.03 < found["ood_accuracy"] < 0.2


@pytest.mark.parametrize("predictor, kind", [
    ("softmax", Deterministic), ("mc", MCDropout), ("vardo", MeanFieldVI)])
def test_predictors_differ_in_method_and_layers_alone(
        static, monkeypatch, predictor, kind):
    seen = []
    fit = kind.fit

    def spy(self, *args, **options):
        seen.append(self)
        return fit(self, *args, **options)

    monkeypatch.setattr(kind, "fit", spy)
    _run(predictor, epochs=1, num_test=20)
    [model] = seen
    kinds = [type(layer).__name__ for layer in model.network.layers]
    suffix = "LocalReparameterization" if predictor == "vardo" else ""
    assert kinds.count(f"Conv2D{suffix}") == 1 and kinds.count(f"Dense{suffix}") == 2
    rates = [layer.rate for layer in model.network.layers if hasattr(layer, "rate")]
    assert rates == [0.3, 0.3]
    draws = model.sample_outputs(np.ones((1, 8, 8, 1), "float32"), 4).numpy()
    assert (draws.std(axis=0).max() > 1e-3) == (predictor != "softmax")


def test_unknown_predictor_is_refused():
    with pytest.raises(ValueError, match="Received: predictor='dropout'"):
        vardo_table.run(predictor="dropout")
