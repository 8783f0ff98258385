"""A flipped bit in a file is an explained error, or changes no number."""

import random

import keras
import numpy as np
import pytest

from bdlzoo.core.file_error import FileError
from bdlzoo.core.sample_file import SampleFile
from bdlzoo.methods import SGLD
from bdlzoo.model import checkpoint, model_file
from bdlzoo.networks import MLP

RNG = np.random.default_rng(0)
X = RNG.normal(size=(16, 3)).astype("float32")
Y = RNG.integers(0, 2, 16)


def _model(path=None):
    keras.utils.set_random_seed(1)
    model = SGLD(MLP((3,), (4,), 2), seed=5, num_kept=2, sample_file=path)
    model.compile(keras.optimizers.SGD(0.01))
    return model


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model, and the files that training and saving it left."""
    folder = tmp_path_factory.mktemp("files")
    model = _model(folder / "samples")
    model.fit(X, Y, batch_size=8, epochs=2, verbose=0,
              checkpoint_dir=folder / "checkpoints")
    model.save(folder / "model.keras")
    return model, folder


def _values(model):
    return [np.asarray(w) for w in (*model.weights, *model.optimizer.variables)]


def _from_checkpoint(model, path):
    fresh = _model()
    fresh.build((None, 3))
    fresh.build_optimizers()
    history = checkpoint.restore(fresh, path.parent)
    return [*_values(fresh), np.array([each["loss"] for each in history])]


def _from_keras(model, path):
    return _values(keras.saving.load_model(path))


def _from_loader(model, path):
    return _values(model_file.load(path))


def _from_samples(model, path):
    return [np.array(SampleFile(path, model.flat).samples())]


DOORS = {"checkpoint": ("checkpoints/epoch-00002.weights.h5", _from_checkpoint, 60),
         "loader": ("model.keras", _from_loader, 40),
         "keras": ("model.keras", _from_keras, 40),
         "samples": ("samples", _from_samples, 60)}


def _places(size, count, rng):
    """Places of bits: a third at the begin, a third at the end, a third anywhere."""
    for number in range(count):
        low, high = ((0, min(600, size)), (max(0, size - 600), size), (0, size))[
            number % 3]
        yield rng.randrange(low, high), rng.randrange(8)


def _check(files, door, count, tmp_path, seed):
    name, read, _ = DOORS[door]
    model, folder = files
    path = tmp_path / (folder / name).name
    whole = (folder / name).read_bytes()
    path.write_bytes(whole)
    expected, found = read(model, path), {"refused": 0, "same": 0}
    for place, bit in _places(len(whole), count, random.Random(seed)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit])
                         + whole[place + 1:])
        try:
            values = read(model, path)
        except Exception as error:  # Keras raises any of them.
            assert door == "keras" or isinstance(error, ValueError), repr(error)
            assert door == "keras" or str(path) in str(error), error
            found["refused"] += 1
            continue
        found["same"] += 1
        for a, b in zip(values, expected, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"bit {bit} of byte {place}")
    return found


@pytest.mark.parametrize("door, count", [
    ("checkpoint", 6), ("loader", 3), ("keras", 3), ("samples", 30)])
def test_some_flipped_bits_load_no_other_numbers(files, door, count, tmp_path):
    found = _check(files, door, count, tmp_path, seed=1)
    assert door == "keras" or found["refused"] >= count - 1


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_two_hundred_flipped_bits_load_no_other_numbers(files, door, tmp_path):
    found = _check(files, door, DOORS[door][2], tmp_path, seed=2)
    print(f"{door}: {found}")
    assert sum(found.values()) == DOORS[door][2]


def test_flipped_weights_are_refused(files, tmp_path):
    model, folder = files
    content = (folder / "model.keras").read_bytes()
    kernel = np.asarray(model.network.trainable_variables[0]).tobytes()
    place = content.index(kernel[:16])
    (tmp_path / "model.keras").write_bytes(
        content[:place] + bytes([content[place] ^ 1]) + content[place + 1:])
    with pytest.raises(FileError, match="checksum differs"):
        model_file.load(tmp_path / "model.keras")
