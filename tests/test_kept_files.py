"""Files that earlier versions wrote: they load, and answer as they did.

`tests/kept` was written by version 0.1.0, before modules moved: an ensemble, SGLD
with `PolynomialSteps`, a generator of networks distilled from it, the regression of
two folds side by side that the UCI benchmark trains, and a network of cells; each as
`.keras` and as SavedModel, with its weights and answers in `answers.npz`.

The means of `.keras` files whose draws are made (of the generator, the cells and the
regression) were written anew when streams of noise changed; the SavedModels hold the
streams of their time, and their answers stay.
"""

import json
import pathlib
import shutil
import zipfile

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo  # noqa: F401  Registers what the files name.

KEPT = pathlib.Path(__file__).parent / "kept"
NAMES = sorted(path.stem for path in KEPT.glob("*.keras"))
ANSWERS = dict(np.load(KEPT / "answers.npz"))


def _answers(name, kind):
    return {key.rpartition("/")[2]: value for key, value in ANSWERS.items()
            if key.startswith(f"{name}/{kind}/")}


def test_all_kinds_are_kept():
    assert NAMES == ["adversarial_posterior_distillation", "dbsn", "deep_ensemble",
                     "sgld", "uci_mc_dropout"]


def _written_by(path):
    """Version of Keras that wrote a file, as numbers."""
    with zipfile.ZipFile(path) as file:
        return _numbers(json.loads(file.read("metadata.json"))["keras_version"])


def _numbers(version):
    return tuple(map(int, version.split(".")[:2]))


@pytest.mark.parametrize("name", NAMES)
def test_keras_file_has_its_weights_and_predictions(name):
    path = KEPT / f"{name}.keras"
    if _numbers(keras.__version__) < _written_by(path):
        pytest.skip("Keras reads files of its own version and of older ones")
    model = keras.saving.load_model(path)
    kept = _answers(name, "weights")
    # The files are older than this part of a conformal rule.
    weights = [w for w in model.weights if w is not getattr(
        model.calibration, "extra", None)]
    assert len(kept) == len(weights)
    for place, weight in enumerate(weights):
        np.testing.assert_array_equal(weight, kept[str(place)])
    x = ANSWERS["x"]
    if f"{name}/noise_free" in ANSWERS:  # Draws that are stored, not made.
        np.testing.assert_allclose(model.sample_outputs(x, 3, seed=5),
                                   ANSWERS[f"{name}/noise_free"], atol=1e-6)
    np.testing.assert_allclose(model.predict(x, verbose=0), ANSWERS[f"{name}/mean"],
                               atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_saved_model_answers_as_it_did(name, tmp_path):
    """Equal to the bit where it was written; other processors round otherwise."""
    shutil.unpack_archive(KEPT / f"{name}.zip", tmp_path)
    served = tf.saved_model.load(str(tmp_path / "1")).signatures["predict"](
        inputs=tf.constant(ANSWERS["x"]), num_samples=tf.constant([3]),
        seed=tf.constant([[5, 0]]))
    kept = _answers(name, "served")
    assert sorted(served) == sorted(kept)
    for key, value in served.items():
        np.testing.assert_allclose(value, kept[key], rtol=1e-6, atol=1e-6)
