"""What a served model answers, and under which names."""

import numpy as np
import tensorflow as tf

from bdlzoo.likelihoods import HeteroscedasticGaussian
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP

X = np.random.default_rng(0).normal(size=(5, 6)).astype("float32")


def _model(likelihood="categorical"):
    model = MCDropout(MLP((6,), (8,), 2, dropout=0.3), likelihood, seed=3)
    model.build((None, 6))
    return model


def test_default_signature_answers_with_uncertainty(tmp_path):
    model = _model()
    loaded = tf.saved_model.load(str(model.export(tmp_path)))
    answer = loaded.signatures["serving_default"](inputs=tf.constant(X))
    prediction = model.predict_uncertainty(X)
    assert set(answer) == {
        "probabilities", "label", "confidence", "predictive_entropy",
        "expected_entropy", "mutual_information", "variation_ratio"}
    for name, value in answer.items():
        np.testing.assert_allclose(value, getattr(prediction, name), atol=1e-5)


def test_regression_answers_with_variances_and_interval(tmp_path):
    model = _model(HeteroscedasticGaussian())
    loaded = tf.saved_model.load(str(model.export(tmp_path)))
    answer = loaded.signatures["predict"](
        inputs=tf.constant(X), num_samples=tf.constant([9]),
        seed=tf.constant([[4, 0]]))
    prediction = model.predict_uncertainty(X, 9, seed=4)
    for name in ("mean", "variance", "aleatoric", "epistemic", "std"):
        np.testing.assert_allclose(answer[name], getattr(prediction, name),
                                   atol=1e-5)
    low, high = prediction.interval(0.95)
    np.testing.assert_allclose(answer["low_95"], low, atol=1e-4)
    np.testing.assert_allclose(answer["high_95"], high, atol=1e-4)
