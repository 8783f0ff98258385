"""Samples in a file."""

import keras
import numpy as np
import pytest

from bdlzoo.core.flat_weights import FlatWeights
from bdlzoo.core.sample_file import SampleFile


def _flat(*sizes):
    return FlatWeights(keras.Sequential(
        [keras.Input((2,)), *map(keras.layers.Dense, sizes)]))


def _samples(count, flat, chains=2):
    shape = (count, chains, flat.size)
    return np.random.default_rng(count).normal(size=shape).astype("float32")


@pytest.fixture
def written(tmp_path):
    flat = _flat(3, 1)
    file = SampleFile(tmp_path / "deep" / "samples", flat, 2)
    file.create()
    assert file.samples().shape == (0, 2, flat.size)
    file.append(_samples(2, flat))
    file.append(_samples(3, flat))
    return file, flat


def test_samples_come_back_as_a_memory_map(written):
    file, flat = written
    samples = SampleFile(file.path, flat, 2).samples()
    assert isinstance(samples, np.memmap)
    np.testing.assert_array_equal(
        samples, np.concatenate([_samples(2, flat), _samples(3, flat)]))
    with pytest.raises(ValueError):
        samples[0] = 0.0


def test_a_run_that_goes_on_drops_what_comes_again(written):
    file, flat = written
    file.resume(2)
    np.testing.assert_array_equal(file.samples(), _samples(2, flat))
    with pytest.raises(ValueError, match="the 4 samples.*with 2 samples"):
        file.resume(4)
    np.testing.assert_array_equal(file.samples(), _samples(2, flat))


def test_a_file_that_was_cut_is_found_out(written):
    file, flat = written
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[:-5])
    with pytest.raises(ValueError, match="cut short: 4 whole samples and .*resume"):
        file.samples()
    file.resume(4)
    assert len(file.samples()) == 4
    for start in (whole[:100], b"", b"[1]".ljust(512), b"{}".ljust(600)):
        file.path.write_bytes(start)
        with pytest.raises(ValueError, match="Expected a file of samples"):
            file.samples()


def test_samples_of_something_else_are_refused(written, tmp_path):
    file, flat = written
    for other, chains, words in ((_flat(4, 1), 2, "of 2 chains of 13 weights"),
                                 (flat, 1, "of 2 chains"),
                                 (_flat(1, 1, 1, 1, 1, 1), 2, "in other layers")):
        with pytest.raises(ValueError, match=words):
            SampleFile(file.path, other, chains).samples()
    with pytest.raises(ValueError, match="No such file"):
        SampleFile(tmp_path / "nothing", flat).samples()
    with pytest.raises(ValueError, match="Expected a new file"):
        file.create()
    with pytest.raises(ValueError, match="shape"):
        file.append(np.zeros((1, 2, flat.size + 1)))
    assert len(file.samples()) == 5
