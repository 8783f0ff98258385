"""Writes the report of a model without labels: its scores and pictures."""

import pathlib

from bdlzoo.core.whole_file import whole_file, write_text
from bdlzoo.reports.html_report import Plot, image, template


def write_pictures(figures, folder, title, metrics):
    """Writes `report.html` and `plots/NAME.png`; a killed program leaves no half file.

    Args:
        figures: Dictionary of `matplotlib.figure.Figure` by name.
        folder: Folder to write to; it is made if it does not exist.
        title: String, headline of the page.
        metrics: Dictionary of numbers by name.

    Returns:
        Path of the page.
    """
    folder = pathlib.Path(folder)
    words = {name: name.replace("_", " ").capitalize() for name in figures}
    plots = [Plot(name, name, None, words[name], figure)
             for name, figure in figures.items()]
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    for plot in plots:
        with whole_file(folder / "plots" / f"{plot.name}.png") as part:
            part.write_bytes(plot.png)
    shown = [{"name": words[plot.name], **image(plot)} for plot in plots]
    write_text(folder / "report.html", template("pictures.html.j2").render(
        title=title, metrics=dict(sorted(metrics.items())), plots=shown))
    return folder / "report.html"
