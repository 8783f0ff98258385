"""Writes the report of models: a page, and its figures as pictures."""

import pathlib

from bdlzoo.core.whole_file import whole_file, write_text
from bdlzoo.reports.html_report import Plot, draw, html_report


def write_report(evaluations, folder, title="Evaluation", figures=None):
    """Writes `report.html` and `plots/NAME.png`; a killed program leaves no half file.

    Args:
        evaluations: List of `Evaluation`, all of classifiers or all of regressions.
        folder: Folder to write to; it is made if it does not exist.
        title: String, headline of the page.
        figures: Dictionary of further `matplotlib.figure.Figure` by name, which the
            model draws of itself; `None` for none.

    Returns:
        Path of the page.

    Example:

        found = bdlzoo.evaluation.evaluate(model, bdlzoo.data.Split(x_test, y_test))
        bdlzoo.reports.write_report([found], "report")
    """
    folder = pathlib.Path(folder)
    plots = draw(evaluations) + [
        Plot(name, "model", None, name.replace("_", " ").capitalize(), figure)
        for name, figure in (figures or {}).items()]
    page = html_report(evaluations, title, plots)
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    for plot in plots:
        with whole_file(folder / "plots" / f"{plot.name}.png") as part:
            part.write_bytes(plot.png)
    write_text(folder / "report.html", page)
    return folder / "report.html"
