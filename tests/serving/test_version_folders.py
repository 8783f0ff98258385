"""Numbers of folders are those that TF Serving reads."""

import os

from bdlzoo.serving import version_folders


def test_numbers_and_what_is_left_out(tmp_path):
    for name in ("3", "00000006", "007", "7", str(10**20), str(2**63 - 1), "notes",
                 ".part-x", "-1", "٣"):
        (tmp_path / name).mkdir()
    (tmp_path / "9").write_text("no folder")
    found, left_out = version_folders.find(tmp_path)
    assert {number: path.name for number, path in found.items()} == {
        3: "3", 6: "00000006", 7: "7", 2**63 - 1: str(2**63 - 1)}
    assert set(left_out) == {"007", str(10**20), "٣"}
    assert "one folder for version 7" in left_out["007"]
    assert str(2**63 - 1) in left_out[str(10**20)]
    assert version_folders.find(tmp_path / "none") == ({}, {})


def test_mark_changes_with_the_files_only(tmp_path):
    (tmp_path / "variables").mkdir()
    file = tmp_path / "variables/data"
    file.write_text("ab")
    first = version_folders.mark(tmp_path)
    assert version_folders.mark(tmp_path) == first
    state = file.stat()
    file.write_text("abc")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    second = version_folders.mark(tmp_path)
    assert second != first  # By its size.
    (tmp_path / "more").write_text("ab")
    assert version_folders.mark(tmp_path) not in (first, second)
    assert version_folders.mark(tmp_path / "none") == ()
