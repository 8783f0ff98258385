"""The report of models as files: a page, and its figures as pictures."""

import os
import pathlib

from bdlzoo.reports.html_report import figures, html_report


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
    page = html_report(evaluations, title)
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    for name, figure in figures(evaluations).items():
        part = folder / "plots" / f".part-{name}.png"
        figure.savefig(part)
        os.replace(part, folder / "plots" / f"{name}.png")
    part = folder / ".part-report.html"
    part.write_text(page, encoding="utf-8")
    os.replace(part, folder / "report.html")
    return folder / "report.html"
