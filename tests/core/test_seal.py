"""A seal finds every change of a file, and leaves the file readable."""

import zipfile

import h5py
import numpy as np
import pytest

from bdlzoo.core import seal

FACTS = {"seed": 3, "method": "MCDropout"}


@pytest.fixture(params=["bytes", "zip", "h5", "empty"])
def path(request, tmp_path):
    path = tmp_path / "file"
    if request.param == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("a", "content")
    elif request.param == "h5":
        with h5py.File(path, "w") as file:
            file["a"] = np.arange(5)
    else:
        path.write_bytes(b"content" * (request.param == "bytes"))
    return path


def test_facts_come_back_from_a_whole_file(path):
    assert seal.facts_of(path) is None
    seal.seal(path, FACTS)
    assert seal.facts_of(path) == FACTS


def test_every_flipped_bit_is_found(path):
    """In the mark alone a flip removes the seal; the content is as it was."""
    content = path.read_bytes()
    seal.seal(path, FACTS)
    whole = path.read_bytes()
    for place in range(len(whole)):
        if place > len(content) and place % 7 and len(whole) > 1000:
            continue  # A share of a long file.
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8])
                         + whole[place + 1:])
        if place >= len(whole) - 14:
            assert seal.facts_of(path) is None
        else:
            with pytest.raises(ValueError, match="checksum differs"):
                seal.facts_of(path)


def test_other_programs_read_sealed_files(tmp_path):
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("a", "content")
    with h5py.File(tmp_path / "h5", "w") as file:
        file["a"] = np.arange(5)
    for name in ("zip", "h5"):
        seal.seal(tmp_path / name, FACTS)
    with zipfile.ZipFile(tmp_path / "zip") as file:
        assert file.read("a") == b"content" and file.testzip() is None
        assert file.comment.startswith(b'{"method": "MCDropout"')
    with h5py.File(tmp_path / "h5") as file:
        np.testing.assert_array_equal(file["a"], np.arange(5))


def test_a_cut_file_is_no_sealed_file(path):
    seal.seal(path, FACTS)
    path.write_bytes(path.read_bytes()[:-1])
    assert seal.facts_of(path) is None


def test_facts_of_a_zip_have_a_largest_size(tmp_path):
    with zipfile.ZipFile(tmp_path / "zip", "w") as file:
        file.writestr("a", "content")
    with pytest.raises(ValueError, match="at most 65449 bytes in a zip"):
        seal.seal(tmp_path / "zip", {"long": "a" * 70000})
