"""A full disk is explained in one sentence, whoever meets it."""

import errno

import pytest

from bdlzoo.core.full_disk import check_room, explained_full_disk, is_full


@pytest.mark.parametrize("error", [
    OSError(errno.ENOSPC, "No space left on device"),
    RuntimeError("Unable to flush file's cached information (file write failed: errno "
                 "= 28, error message = 'No space left on device')"),
    ValueError("; No space left on device")])
def test_errors_of_a_full_disk_become_one(error, tmp_path):
    words = "Expected room on the disk.* free bytes"
    with pytest.raises(OSError, match=words) as found:
        with explained_full_disk(tmp_path / "file"):
            raise error
    assert found.value.errno == errno.ENOSPC
    assert str(tmp_path / "file") in str(found.value)
    assert len(str(found.value).splitlines()) == 1


def test_an_error_that_came_from_a_full_disk_is_known():
    try:
        try:
            raise OSError(errno.ENOSPC, "full")
        except OSError as error:
            raise RuntimeError("cannot close") from error
    except RuntimeError as error:
        assert is_full(error)


def test_other_errors_stay_as_they_are(tmp_path):
    with pytest.raises(PermissionError), explained_full_disk(tmp_path):
        raise PermissionError(errno.EACCES, "denied")
    with pytest.raises(ZeroDivisionError), explained_full_disk(tmp_path):
        1 / 0


def test_room_is_checked_before_anything_is_written(tmp_path):
    check_room(tmp_path, 1)
    with pytest.raises(OSError, match="Expected room on the disk"):
        check_room(tmp_path, 2**62)
