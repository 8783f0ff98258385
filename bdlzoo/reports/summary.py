"""What a person wants to see of a trained model first: scores and plots."""

import numpy as np

from bdlzoo.reports.predictive_band import predictive_band
from bdlzoo.reports.ranked_images import ranked_images
from bdlzoo.reports.reliability_diagram import reliability_diagram
from bdlzoo.reports.uncertainty_histogram import uncertainty_histogram
from bdlzoo.tasks import novelty


def summarise(model, train, test, seed=0):
    """Scores strange inputs and draws what the kind of data allows.

    Args:
        model: Trained `PredictiveModel`.
        train: `Split` of the training data.
        test: `Split` of the test data.
        seed: Integer, of the draws and of the strange inputs.

    Returns:
        Dictionary of scores, dictionary of figures.
    """
    prediction = model.predict_uncertainty(test.x, seed=seed)
    if not hasattr(prediction, "probabilities"):
        return {}, _regression(model, train, seed)
    figures = {"reliability": reliability_diagram(
        prediction.probabilities, test.y)}
    if test.x.ndim != 4:
        return {}, figures
    scores = {"test set": prediction.mutual_information}
    for name, strange in (("uniform noise", novelty.uniform_noise),
                          ("permuted pixels", novelty.permuted_pixels)):
        scores[name] = model.predict_uncertainty(
            strange(test.x, seed), seed=seed).mutual_information
    figures["uncertainty"] = uncertainty_histogram(
        scores, "mutual information in nats")
    figures["ranked"] = ranked_images(test.x, prediction, test.y)
    known, noise, permuted = scores.values()
    return {"auroc_noise": novelty.novelty_auroc(known, noise),
            "auroc_permuted": novelty.novelty_auroc(known, permuted)}, figures


def _regression(model, train, seed):
    if train.x.shape[1:] != (1,):
        return {}
    reach = 0.3 * np.ptp(train.x)  # Beyond the data, where doubt should grow.
    grid = np.linspace(train.x.min() - reach, train.x.max() + reach, 300)
    grid = grid[:, None].astype("float32")
    prediction = model.predict_uncertainty(grid, num_samples=200, seed=seed)
    return {"band": predictive_band(grid, prediction, train.x, train.y)}
