"""Errors of files have one form."""

import zipfile

import pytest

from bdlzoo.core.file_error import FileError, reading


@pytest.mark.parametrize("error, words", [
    (ValueError("no sense\nmore"), "no sense"), (KeyError("a"), "KeyError: 'a'"),
    (zipfile.BadZipFile("File is not a zip file"), "BadZipFile: File is not"),
    (RecursionError(), "RecursionError: "), (AssertionError("x"), "AssertionError: x")])
def test_any_error_is_explained_with_the_path(error, words):
    with pytest.raises(FileError) as found:
        with reading("a.npz", "an npz file", "Take another one."):
            raise error
    assert str(found.value) == (
        f"Expected an npz file. Take another one. Received: a.npz, with the error: "
        f"{words}" + " a zip file" * ("BadZip" in words))
    assert found.value.__cause__ is error


def test_the_first_explanation_stays():
    with pytest.raises(FileError, match="Expected a. b Received: c"):
        with reading("d", "e", "f"), reading("c", "a", "b"):
            raise KeyError


def test_the_end_of_a_program_is_no_error_of_a_file():
    with pytest.raises(KeyboardInterrupt), reading("a", "b", "c"):
        raise KeyboardInterrupt
