"""The report of models as files: a page, and its figures as pictures."""

import pathlib

from bdlzoo.core.whole_file import whole_file, write_text
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
        with whole_file(folder / "plots" / f"{plot.name}.png") as part:
            part.write_bytes(plot.png)
    write_text(folder / "report.html", page)
    return folder / "report.html"
