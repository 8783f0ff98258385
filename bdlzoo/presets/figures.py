"""What a trained model reaches on test rows, as the card of a preset has it."""

from bdlzoo.evaluation.detection import out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets


def figures(model, test, outside=()):
    """Scores of a model on test rows, and how well it finds rows of other sets.

    Args:
        model: `StochasticModel` that is trained.
        test: `bdlzoo.data.Split` of test rows.
        outside: List of names of sets that a classifier should be unsure of, as in
            `bdlzoo.evaluation.outside_sets`.

    Returns:
        Dictionary of floats: the scores of `model.evaluate`, and for each other set
        `auroc_SET`, by the entropy of the mean prediction.

    Example:

        model = bdlzoo.from_preset("digits/deterministic")
        bdlzoo.presets.figures(model, bdlzoo.data.load("digits", "test"), ["uniform"])
    """
    y = None if model.targets == "none" else test.y
    scores = model.evaluate(test.x, y, batch_size=256, verbose=0, return_dict=True)
    found = {name: float(value) for name, value in scores.items()}
    if outside:
        _, _, detected = out_of_distribution(
            model, test.x, outside_sets(list(outside), test.x), ["entropy"])
        found.update({f"auroc_{name}": float(results["entropy"]["auroc"])
                      for name, results in detected.items()})
    return found
