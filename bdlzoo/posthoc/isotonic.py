"""A rising curve for each class probability, fitted on held-out data.

    q_c = curve_c(p_c),   p' = q / sum of q

with `curve_c` the isotonic regression of "is it c?" on the averaged predictive
`p_c`, kept as a table of fixed length. One of n + 1 parts of it is the identity,
as if one row had been seen that says what the model says: a curve that is flat,
or zero, then still ranks, and no probability becomes 0.

Reference: Zadrozny and Elkan, Transforming Classifier Scores into Accurate
Multiclass Probability Estimates, KDD 2002.
"""

import numpy as np


def fit_isotonic(prediction, targets, num_knots=64):
    """Fits the curve of each class.

    Args:
        prediction: `ClassPrediction` for held-out inputs, in float64.
        targets: Class indices observed there.
        num_knots: Integer, length of the table; longer curves are thinned out.

    Returns:
        Pair of arrays `[C, num_knots]`: probabilities, and what becomes of them.
    """
    from sklearn.isotonic import IsotonicRegression

    probs = np.exp(np.asarray(prediction.log_mixture))
    targets = np.asarray(targets).astype(int).ravel()
    if len(np.unique(targets)) < 2:
        raise ValueError(
            "Expected rows of at least two classes: of one alone every curve is "
            f"flat. Received: only class {targets[0]}")
    tables = []
    for label in range(probs.shape[1]):
        curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        curve.fit(probs[:, label], targets == label)
        knots = np.concatenate([[0.0], curve.X_thresholds_, [1.0]])
        # Ends are kept; where there are too few knots, some are repeated.
        kept = np.linspace(0, len(knots) - 1, num_knots).round().astype(int)
        knots = knots[kept]
        values = (len(probs) * curve.predict(knots) + knots) / (len(probs) + 1)
        tables.append((knots, values))
    knots, values = zip(*tables)
    return np.stack(knots), np.stack(values)
