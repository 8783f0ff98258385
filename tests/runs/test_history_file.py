"""The file of logs is read as it was written."""

from bdlzoo.runs.history_file import HistoryFile, read_history


def test_logs_of_epochs_are_read_again(tmp_path):
    path = tmp_path / "history.csv"
    assert read_history(path) == {}
    file = HistoryFile(path)
    for epoch, loss in enumerate((3.0, 2.0, 1.5)):
        file.on_epoch_end(epoch, {"loss": loss})
    file.on_epoch_end(1, {"loss": 9.0, "new": 1.0})  # An epoch is done again.
    assert read_history(path) == {"epoch": [1.0, 2.0], "loss": [3.0, 9.0]}
