"""Samples in a file."""

import json

import keras
import numpy as np
import pytest

from bdlzoo.core.file_error import FileError
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


def test_a_sample_that_was_changed_is_named(written):
    file, flat = written
    whole = file.path.read_bytes()
    place = 512 + 3 * file.sample_bytes + 5
    file.path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1:])
    with pytest.raises(FileError, match="the checksum of sample 3 differs"):
        file.samples()
    with pytest.raises(FileError, match="sample 3"):
        file.resume(4)
    file.resume(3)  # Before the damage.
    np.testing.assert_array_equal(file.samples()[:2], _samples(2, flat))


def test_a_header_that_was_changed_is_refused(written):
    file, flat = written
    content = file.path.read_bytes()
    number = json.loads(content[:content.index(b"}") + 1])["checksum"]
    file.path.write_bytes(content.replace(b"%d" % number, b"%d" % (number ^ 1), 1))
    with pytest.raises(FileError, match="checksum of its header differs"):
        SampleFile(file.path, flat, 2).samples()


def test_samples_that_are_no_numbers_are_refused(written):
    file, flat = written
    with pytest.raises(FloatingPointError, match="lower the learning rate"):
        file.append(np.full((1, 2, flat.size), np.nan))
    assert len(file.samples()) == 5


def test_files_of_the_first_format_are_read_and_continued(written, tmp_path, caplog):
    file, flat = written
    header = json.loads(file.path.read_bytes()[:512])
    del header["checksum"]
    old = tmp_path / "old"
    old.write_bytes(json.dumps({**header, "format": "bdlzoo samples 1"}).encode()
                    .ljust(512) + _samples(2, flat).tobytes())
    again = SampleFile(old, flat, 2)
    np.testing.assert_array_equal(again.samples(), _samples(2, flat))
    assert "has no checksums" in caplog.text
    again.append(_samples(3, flat))
    np.testing.assert_array_equal(SampleFile(old, flat, 2).samples(), file.samples())


def test_samples_of_another_run_are_refused_but_not_of_another_version(
        tmp_path, caplog):
    flat = _flat(3, 1)

    def opened(**facts):
        return SampleFile(tmp_path / "samples", flat, 2, facts)

    opened(seed=1, version="1").create()
    assert len(opened(seed=1, version="2").samples()) == 0
    assert "was written by bdlzoo 1; this is bdlzoo 2" in caplog.text
    with pytest.raises(FileError, match=r"another model: seed \(1 there, 2 here\)"):
        opened(seed=2, version="1").samples()
    assert len(SampleFile(tmp_path / "samples", flat, 2).samples()) == 0


def test_a_file_gets_its_name_when_it_is_published(tmp_path):
    flat = _flat(3, 1)
    file, path = SampleFile(tmp_path / "samples", flat, 2), tmp_path / "samples"
    assert not file.is_begun()
    for _ in range(2):  # The first one was killed.
        file.begin()
        file.append(_samples(2, flat))
        file.flush()
        assert file.is_begun() and not path.exists()
    file.publish()
    np.testing.assert_array_equal(file.samples(), _samples(2, flat))
    assert [p.name for p in tmp_path.iterdir()] == ["samples"]
    file.append(_samples(3, flat))
    assert len(file.samples()) == 5
    with pytest.raises(ValueError, match="Expected a new file"):
        SampleFile(path, flat, 2).begin()


def test_a_run_goes_on_from_a_file_that_was_not_published(tmp_path):
    flat = _flat(3, 1)
    file = SampleFile(tmp_path / "samples", flat, 2)
    file.begin()
    file.append(_samples(3, flat))
    again = SampleFile(tmp_path / "samples", flat, 2)
    again.resume(2)
    np.testing.assert_array_equal(again.samples(), _samples(3, flat)[:2])
