"""The file `history.csv` of a run: a line of logs for each finished epoch."""

import csv
import pathlib

import keras
import numpy as np

from bdlzoo.core.file_error import reading
from bdlzoo.core.whole_file import write_text


class HistoryFile(keras.callbacks.Callback):
    """Writes `history.csv` with one line for each finished epoch.

    Args:
        path: Path of the file.

    Example:

        model.fit(x, y, callbacks=[bdlzoo.runs.HistoryFile("history.csv")])
    """

    def __init__(self, path):
        super().__init__()
        self.path = pathlib.Path(path)

    def on_epoch_end(self, epoch, logs=None):
        rows = _lines(self.path)[:epoch]
        rows.append({"epoch": epoch + 1, **{
            name: float(np.mean(value)) for name, value in logs.items()}})
        fields = list(rows[-1])
        lines = [",".join(fields)] + [
            ",".join(str(row.get(f, "")) for f in fields) for row in rows]
        write_text(self.path, "\n".join(lines) + "\n")


def read_history(path):
    """Lists of logs of epochs by name; empty where there is no file.

    Args:
        path: Path of a `history.csv`.
    """
    rows = _lines(path)
    return {name: [float(row[name]) for row in rows]
            for name in (rows[-1] if rows else ())
            if all(row.get(name) for row in rows)}


def _lines(path):
    if not path.exists():
        return []
    with reading(path, "the history of this run", "Delete the file."), (
            open(path, newline="")) as file:
        return list(csv.DictReader(file))
