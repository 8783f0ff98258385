"""Report of a choice among models: a page, its picture, and a table of text."""

import pathlib

from bdlzoo.core.text_table import text_table
from bdlzoo.core.whole_file import whole_file, write_json, write_text
from bdlzoo.reports.html_report import Plot, image, template
from bdlzoo.reports.quality_against_cost import quality_against_cost

_TEMPLATE = "choice.html.j2"
_PICTURE = "quality_against_cost"
# Title of a column, and what it means.
_COLUMNS = {
    "loss": ("Loss", "negative log likelihood of the rows that decide, in nats"),
    "error": ("±", "standard error of the loss"),
    "accuracy": ("Accuracy", "share of right predictions, test rows"),
    "nll": ("NLL", "negative log likelihood, test rows"),
    "ece": ("ECE", "gap between confidence and accuracy, test rows"),
    "brier": ("Brier", "squared error of the probabilities, test rows"),
    "rmse": ("RMSE", "root of the mean squared error, test rows"),
    "crps": ("CRPS", "distance between prediction and target, test rows"),
    "coverage": ("Coverage", "share of targets inside of the 95 % interval"),
    "detection": ("AUROC", "probability that an outside row is more uncertain than a "
                  "test row"),
    "seconds": ("Training, s", "time of training"),
    "answer_ms": ("Answer, ms", "time of an answer, one row"),
    "batch_ms": ("100 rows, ms", "time of an answer, a hundred rows"),
    "megabytes": ("MiB", "size of the weights")}


def choice_report(content, folder):
    """Writes `choice.html`, `choice.json` and `plots/quality_against_cost.png`.

    Args:
        content: Dictionary of `title`; `facts`, texts by name; `take`, the name of a
            model; `reasons`, sentences; `left_out`, reasons by name; `models`, numbers
            by name of the model.
        folder: Folder to write to.

    Returns:
        Path of the page.

    Example:

        content = {"title": "Rows of mine", "facts": {"rows": "1,797"}, "take": "one",
                   "reasons": ["It is alone."], "left_out": {}, "models": {"one": dict(
                       loss=0.30, error=0.01, answer_ms=0.5, seconds=20.0)}}
        page = bdlzoo.reports.choice_report(content, "mine")
    """
    folder = pathlib.Path(folder)
    (folder / "plots").mkdir(parents=True, exist_ok=True)
    figure = quality_against_cost(content["models"], content["take"])
    plot = Plot(_PICTURE, _PICTURE, None,
                "Validation loss of each model against the time of an answer", figure)
    with whole_file(folder / "plots" / f"{plot.name}.png") as part:
        part.write_bytes(plot.png)
    write_json(folder / "choice.json", content)
    write_text(folder / "choice.html", template(_TEMPLATE).render(
        **content, columns=_shown(content), plot=image(plot)))
    return folder / "choice.html"


def choice_table(content):
    """Table of text of the models.

    Args:
        content: As in `choice_report`.

    Example:

        print(bdlzoo.reports.choice_table({"title": "Rows of mine", "models": {
            "one": dict(loss=0.30, error=0.01, answer_ms=0.5, seconds=20.0)}}))
    """
    shown = {"model": list(content["models"])}
    for key, (title, _) in _shown(content).items():
        shown[title] = [f"{model[key]:.3g}" for model in content["models"].values()]
    return text_table(content["title"], shown, more=False)


def _shown(content):
    """The columns that all models have."""
    return {key: words for key, words in _COLUMNS.items()
            if all(key in model for model in content["models"].values())}
