"""Files for TF Serving parse as its own protocol buffers."""

import pytest
from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from bdlzoo.serving import server_files


def test_config_names_the_model_where_the_container_has_it(tmp_path):
    folder = tmp_path / "digits"
    folder.mkdir()
    server_files.write(folder)
    config = text_format.Parse((folder / "models.config").read_text(),
                               model_server_config_pb2.ModelServerConfig())
    [model] = config.model_config_list.config
    assert (model.name, model.base_path) == ("digits", "/models/digits")
    assert model.model_platform == "tensorflow"


def test_batches_end_at_the_largest_allowed_size(tmp_path):
    server_files.write(tmp_path, "m", batch_sizes=(1, 4, 16))
    text = (tmp_path / "batching.config").read_text()
    assert server_files.max_batch_size(tmp_path / "batching.config") == 16
    assert [line for line in text.splitlines() if "allowed" in line] == [
        f"allowed_batch_sizes: {size}" for size in (1, 4, 16)]


def test_changed_files_stay(tmp_path):
    (tmp_path / "batching.config").write_text("max_batch_size { value: 7 }")
    server_files.write(tmp_path, "m")
    assert server_files.max_batch_size(tmp_path / "batching.config") == 7
    assert (tmp_path / "models.config").exists()


def test_file_without_a_size_is_refused(tmp_path):
    (tmp_path / "other").write_text("# max_batch_size { value: 7 }")
    with pytest.raises(ValueError, match="max_batch_size"):
        server_files.max_batch_size(tmp_path / "other")
