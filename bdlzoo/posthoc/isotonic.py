"""Isotonic calibration: a rising curve for each class, fitted on held-out data.

    q_c = curve_c(p_c),   p' = q / sum of q

`curve_c` is the isotonic regression of the indicator of class c on the averaged
predictive `p_c`, stored as a table of fixed length. The identity is mixed into it with
the weight 1 / (n + 1), as if one more row agreed with the model. So a curve that would
be flat or zero still ranks rows, and no probability becomes 0.

Reference: Zadrozny and Elkan, Transforming Classifier Scores into Accurate
Multiclass Probability Estimates, KDD 2002.
"""

import numpy as np


def fit_isotonic(prediction, targets, num_knots=64):
    """Fits the curve of each class.

    Args:
        prediction: `ClassPrediction` for held-out inputs, in float64.
        targets: Observed class indices `[B]` of these inputs.
        num_knots: Integer, length of the table; longer curves are thinned out.

    Returns:
        Pair of arrays `[C, num_knots]`: probabilities, and their corrected values.

    Example:

        knots, values = bdlzoo.posthoc.fit_isotonic(prediction, y)
    """
    from sklearn.isotonic import IsotonicRegression

    probs = np.exp(np.asarray(prediction.log_plain))
    targets = np.asarray(targets).astype(int).ravel()
    if len(np.unique(targets)) < 2:
        raise ValueError(
            "Expected rows of at least two classes, because with one class every "
            f"curve is flat. Received: only class {targets[0]}")
    tables = []
    for label in range(probs.shape[1]):
        curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        curve.fit(probs[:, label], targets == label)
        knots = np.concatenate([[0.0], curve.X_thresholds_, [1.0]])
        # Both ends are kept; if there are too few knots, some are repeated.
        kept = np.linspace(0, len(knots) - 1, num_knots).round().astype(int)
        knots = knots[kept]
        values = (len(probs) * curve.predict(knots) + knots) / (len(probs) + 1)
        tables.append((knots, values))
    knots, values = zip(*tables)
    return np.stack(knots), np.stack(values)
