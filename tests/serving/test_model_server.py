"""The newest good version serves; a bad one changes nothing."""

import shutil
import time

import numpy as np
import pytest

from bdlzoo.serving.limits import Limits
from bdlzoo.serving.model_server import ModelServer, VersionStatus
from bdlzoo.serving.serving_error import ServingError
from tests.model.test_saved_model import write
from tests.serving import broken_versions

ROWS = {"inputs": np.ones((3, 6), "float32")}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Path of a version: to copy it is faster than to export another one."""
    return write(tmp_path_factory.mktemp("exported"))


@pytest.fixture
def whole(exported, tmp_path):
    """Path of version 1, alone in its folder."""
    return shutil.copytree(exported, tmp_path / "sums/1")


@pytest.fixture
def models(whole, tmp_path):
    server = ModelServer({"sums": tmp_path / "sums"}, max_batch_size=3,
                         poll_seconds=0.05)
    server.start()
    yield server
    server.stop()


def _numbers(server):
    return {s.version: s.state for s in server.status("sums")}


def test_new_versions_take_over_and_bad_ones_do_not(models, tmp_path):
    number, version = models.version("sums")
    assert (number, _numbers(models)) == (1, {1: "AVAILABLE"})
    (tmp_path / "sums/7").mkdir()  # Nothing in it that could be served.
    deadline = time.monotonic() + 30
    while 7 not in _numbers(models) or _numbers(models)[7] == "LOADING":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert models.version("sums")[0] == 1
    bad = models.status("sums", 7)[0]
    assert (bad.state, bad.error_code) == ("END", "UNKNOWN")
    assert "SavedModel" in bad.error_message
    assert broken_versions.publish_copy(
        tmp_path / "sums", tmp_path / "sums/1").name == "8"
    while models.version("sums")[0] != 8:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert models.status("sums", 1) == [VersionStatus(1, "END")]
    # Who had the old version is answered by it.
    np.testing.assert_array_equal(models.run(version, ROWS)["sum"], [[6.0]] * 3)
    shutil.rmtree(tmp_path / "sums/8")  # Taken back: the one before serves again.
    while models.version("sums")[0] != 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_unknown_models_and_versions_are_not_found(models):
    for ask, words in (
            (lambda: models.version("other"), r"Latest\(other\)"),
            (lambda: models.version("sums", 4), r"Specific\(sums, 4\)"),
            (lambda: models.status("other"), "any versions of model other"),
            (lambda: models.status("sums", 4), "version 4 of model sums")):
        with pytest.raises(ServingError, match=words) as raised:
            ask()
        assert raised.value.code == "NOT_FOUND"


def test_what_a_batching_server_refuses_is_refused(models):
    _, version = models.version("sums")
    assert len(models.run(version, ROWS)["sum"]) == 3
    for inputs, words in (({"inputs": np.ones((4, 6), "float32")}, "Task size 4"),
                          ({**ROWS, "seed": np.ones((1, 2))}, "same number of rows"),
                          ({"inputs": np.float32(1)}, "same number of rows")):
        with pytest.raises(ServingError, match=words) as raised:
            models.run(version, inputs)
        assert raised.value.code == "INVALID_ARGUMENT"


def test_nothing_to_serve_is_said_at_the_start(tmp_path):
    for name in ("absent", "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(ValueError, match=f"{name}.*without any"):
            ModelServer({name: tmp_path / name}).start()


def test_newest_whole_version_serves_from_the_start(whole, tmp_path):
    broken = [broken_versions.publish_broken(tmp_path / "sums", whole, way)
              for way in broken_versions.WAYS]
    server = ModelServer({"sums": tmp_path / "sums"}, poll_seconds=60)
    server.start()
    server.stop()
    assert server.version("sums")[0] == 1
    good, *bad = server.status("sums")
    assert good == VersionStatus(1, "AVAILABLE") and len(bad) == len(broken)
    for status in bad:
        assert status.state == "END" and status.error_message
        assert status.error_code != "OK"
    # None is tried again until it is replaced under its number.
    tried = dict(server._tried["sums"])
    server.refresh()
    assert all(server._tried["sums"][number] is tried[number] for number in tried)
    broken_versions.replace(broken[3], whole)
    server.refresh()
    number, version = server.version("sums")
    assert number == int(broken[3].name) == 5
    np.testing.assert_array_equal(server.run(version, ROWS)["sum"], [[6.0]] * 3)
    assert server.status("sums", 1) == [VersionStatus(1, "END")]


def test_broken_files_of_the_serving_version_change_nothing(whole, tmp_path):
    kept = shutil.copytree(whole, tmp_path / "kept")
    server = ModelServer({"sums": tmp_path / "sums"})
    server.refresh()
    first = server.version("sums")[1]
    broken_versions.break_version(whole, "cut weights")
    server.refresh()
    assert server.version("sums") == (1, first)
    assert server.status("sums") == [VersionStatus(1, "AVAILABLE")]
    broken_versions.replace(whole, kept)
    server.refresh()
    assert server.version("sums")[0] == 1 and server.version("sums")[1] is not first


def test_odd_names_of_folders(whole, tmp_path, caplog):
    whole.rename(tmp_path / "sums/00000006")
    (tmp_path / "sums" / str(10**20)).mkdir()
    server = ModelServer({"sums": tmp_path / "sums"})
    with caplog.at_level("WARNING", logger="absl"):
        server.refresh()
        server.refresh()
    assert server.version("sums")[0] == 6 and _numbers(server) == {6: "AVAILABLE"}
    assert len([r for r in caplog.records if str(10**20) in r.getMessage()]) == 1
    assert write(tmp_path / "sums").name == "7"  # An export counts as servers do.


def test_limits_are_those_of_the_draws_of_a_model(tmp_path, served, images):
    _, version = served.models.version("digits")
    assert version.default_draws == 4  # As it was published.
    server = ModelServer({}, limits=Limits(row_draws=19))
    with pytest.raises(ServingError, match="19 rows times draws.*Received: 5 x 4"):
        server.run(version, {"inputs": images})
    assert len(server.run(version, {"inputs": images[:4]})["label"]) == 4
    words = {"num_samples": np.array([5], "int32"), "seed": np.zeros((1, 2), "int32")}
    with pytest.raises(ServingError, match="Received: 4 x 5"):
        server.run(version, {"inputs": images[:4], **words}, "predict")
    server = ModelServer({}, limits=Limits(answer_bytes=5 * 5 * 10 * 4 - 1))
    with pytest.raises(ServingError, match="of the answer.*1000 in samples"):
        server.run(version, {"inputs": images, **words}, "samples")
    assert len(server.run(version, {"inputs": images, **words}, "predict")["label"])
    assert version.open_sizes({"inputs": images, **words}, "samples") == (5,)
