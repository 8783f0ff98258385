"""The report of models as files: a page, and its figures as pictures."""

import os
import pathlib

from bdlzoo.reports.html_report import draw, html_report


def write_report(evaluations, folder, title="Evaluation"):
    """Writes `report.html` and `plots/NAME.png`, each whole or not at all.

    Args:
        evaluations: List of `Evaluation`, all of classes or all of numbers.
        folder: Folder, made where there is none.
        title: String, headline of the page.

    Returns:
        Path of the page.
    """
    folder = pathlib.Path(folder)
    plots = draw(evaluations)
    page = html_report(evaluations, title, plots)
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    for plot in plots:
        _write(folder / "plots" / f"{plot.name}.png", plot.png)
    _write(folder / "report.html", page.encode())
    return folder / "report.html"


def _write(path, content):
    part = path.with_name(f".part-{path.name}")
    part.write_bytes(content)
    os.replace(part, path)
