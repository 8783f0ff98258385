"""The plots that a person wants to see of a trained model first."""

import numpy as np

from bdlzoo.reports.predictive_band import predictive_band
from bdlzoo.reports.ranked_images import ranked_images
from bdlzoo.reports.reliability_diagram import reliability_diagram
from bdlzoo.reports.uncertainty_histogram import uncertainty_histogram


def summary(model, train, test, scores=None, seed=0):
    """Draws what the kind of data allows.

    Args:
        model: Trained `PredictiveModel`.
        train: `Split` of the training data.
        test: `Split` of the test data.
        scores: Uncertainty by name of a set of images, the test set among them.
        seed: Integer, of the draws.

    Returns:
        Dictionary of figures by name.
    """
    prediction = model.predict_uncertainty(test.x, seed=seed)
    if hasattr(prediction, "probabilities"):
        figures = {"reliability": reliability_diagram(
            prediction.probabilities, test.y)}
        if scores:
            figures["uncertainty"] = uncertainty_histogram(
                scores, "mutual information in nats")
        if test.x.ndim == 4:
            figures["ranked"] = ranked_images(test.x, prediction, test.y)
        return figures
    if train.x.shape[1:] == (1,):
        return {"band": _band(model, train, seed)}
    return {}


def _band(model, train, seed):
    reach = 0.3 * np.ptp(train.x)  # Beyond the data, where doubt should grow.
    grid = np.linspace(train.x.min() - reach, train.x.max() + reach, 300)
    grid = grid[:, None].astype("float32")
    prediction = model.predict_uncertainty(grid, num_samples=200, seed=seed)
    return predictive_band(grid, prediction, train.x, train.y)
