"""One door to all formats, which refuses what none of them takes."""

import pytest

import bdlzoo
from bdlzoo.model.exports import Exports


def _model():
    network = bdlzoo.networks.MLP((2,), outputs=2, hidden=(2,), dropout=0.5)
    model = bdlzoo.methods.MCDropout(network, num_samples=2, seed=1)
    model.build((None, 2))
    return model


def test_formats_have_their_own_options(tmp_path):
    model = _model()
    for path, options, words in (
            ("a.pb", {"format": "pb"}, "'litert'.*Received: format='pb'"),
            ("a.onnx", {"format": "litert"}, "ends in .tflite"),
            ("a.tflite", {"format": "litert", "num_samples": 0}, "at least 1"),
            ("a.tflite", {"format": "litert", "finish": print}, "for folders")):
        with pytest.raises(ValueError, match=words):
            model.export(tmp_path / path, **options)
    assert not list(tmp_path.iterdir())


def test_models_without_labels_have_no_fixed_answer():
    with pytest.raises(ValueError, match="predicts labels.*tf_saved_model"):
        Exports.fixed_answer(bdlzoo.methods.VAE)
