"""Sets of classes for any classifier, with guaranteed coverage.

    set(x) = {c : score(x, c) <= threshold}

The scores (LAC, APS, RAPS) and the guarantee are described in `bdlzoo.core.conformal`.
With groups, or `by_class=True`, each group or each class has a threshold of its own, so
that coverage holds in each of them.

Reference: Sadinle et al., Least Ambiguous Set-Valued Classifiers, JASA 2019;
Romano et al., Classification with Valid and Adaptive Coverage, NeurIPS 2020;
Vovk, Conditional Validity of Inductive Conformal Predictors, ACML 2012 (classes).
"""

import numpy as np
import tensorflow as tf

from bdlzoo.conformal import groups as mondrian
from bdlzoo.core import arrays, conformal, noise
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.evaluation.adopted import adopted
from bdlzoo.posthoc import fit_conformal_sets


class PredictionSets:
    """Finds, for each input, a set of classes that holds the true one.

    Args:
        model: Trained classifier: any Keras model, or a model of the zoo.
        method: `"lac"` has the smallest sets, `"aps"` larger ones for difficult
            inputs, `"raps"` is APS without very large sets.
        level: Float, the coverage: the share of sets that hold the true class.
        by_class: Bool, whether each class has a threshold of its own. Rare classes are
            then covered as often as others, and sets are larger.
        penalty: Float, added by RAPS for each rank after `free_rank`.
        free_rank: Integer, number of ranks for which RAPS adds nothing.
        likelihood: What the outputs of a Keras model mean, if neither its last layer
            nor its loss tells: `"categorical"` for logits.
        seed: Integer, seed of the draws of a model of the zoo and of the uniform
            numbers of APS and RAPS, which depend on a row and not on its place.

    Example:

        sets = bdlzoo.conformal.PredictionSets(model, level=0.95)
        sets.fit(x_val, y_val)  # Rows that the model was not trained on.
        sets.predict(x_test)  # Bools [B, C].
    """

    def __init__(self, model, method="lac", level=0.9, by_class=False, penalty=0.1,
                 free_rank=1, likelihood=None, seed=0):
        if method not in ("lac", "aps", "raps"):
            raise ValueError("Expected one of 'lac', 'aps' and 'raps'. Received: "
                             f"method={method!r}")
        self.model = model
        self.method = method
        self.level = level
        self.by_class = by_class
        self.penalty = penalty
        self.free_rank = free_rank
        self.likelihood = likelihood
        self.seed = seed
        self.rules = {}  # What is fitted: a `SetRule` by group, or by class.

    def fit(self, x, y, groups=None):
        """Fits thresholds to rows that the model was not trained on.

        Args:
            x: Inputs of the model.
            y: Classes of the rows `[B]`.
            groups: Group of each row `[B]`, integers or strings; `None` for none.

        Returns:
            The same object.
        """
        x = arrays.of_inputs(x)
        self.model = adopted(self.model, x, likelihood=self.likelihood)
        prediction, uniforms = self._prediction(x)
        y = np.asarray(y)
        num_rows, num_classes = prediction.log_mean.shape
        wrong = y.shape not in ((num_rows,), (num_rows, 1)) or (
            (y < 0) | (y >= num_classes) | (y != np.floor(y))).any()
        if wrong:
            raise ValueError(
                f"Expected a class from 0 to {num_classes - 1} for each of {num_rows} "
                f"rows. Received: y of shape {y.shape} and type {y.dtype} with values "
                f"{np.unique(y)[[0, -1]] if y.size else ''}")
        y = y.astype(int).ravel()
        rows = self._rows(y, groups, num_classes)
        self.rules = mondrian.fitted(lambda places: fit_conformal_sets(
            prediction.taken(places), y[places], tf.gather(uniforms, places),
            self.method, self.level, self.penalty, self.free_rank), rows)
        return self

    def _rows(self, y, groups, num_classes):
        """Places of the rows of each group, or class."""
        if not self.by_class:
            return mondrian.rows_of(groups, len(y))
        if groups is not None:
            raise ValueError("Expected either groups or `by_class=True`: groups may "
                             "hold the class, such as \"3 of camera b\". Received both")
        return {place: np.flatnonzero(y == place) for place in range(num_classes)}

    def predict(self, x, groups=None):
        """Finds the sets.

        Args:
            x: Inputs of the model.
            groups: Group of each row `[B]`, if there were groups in `fit`.

        Returns:
            Bools `[B, C]`, whether a class is in the set of a row.
        """
        if not self.rules:
            raise ValueError("Expected thresholds: call `fit(x, y)` on held-out rows "
                             "first. Received: none")
        prediction, uniforms = self._prediction(arrays.of_inputs(x))
        pairs = {group: (rule.threshold, rule.extra)
                 for group, rule in self.rules.items()}
        if self.by_class:
            values = np.array(list(pairs.values()))[None]  # [1, C, 2]
        else:
            num_rows = prediction.log_mean.shape[0]
            values = mondrian.of_rows(pairs, groups, num_rows)[:, None]  # [B, 1, 2]
        limits = (tf.cast(part, prediction.log_mean.dtype)
                  for part in np.moveaxis(values, -1, 0))
        rule = next(iter(self.rules.values()))
        return conformal.in_set(prediction.log_mean, uniforms, rule._replace(
            **dict(zip(("threshold", "extra"), limits)))).numpy()

    def _prediction(self, x):
        """Prediction of rows, and a uniform number for each."""
        prediction = self.model.predict_uncertainty(x, seed=self.seed)
        if not isinstance(prediction, ClassPrediction):
            raise ValueError("Expected a model of classes: use `PredictionIntervals` "
                             f"for numbers. Received: {prediction!r}")
        if len(prediction.log_mean.shape) != 2:
            raise ValueError(
                "Expected a model with one class for each row: positions are covered "
                "by `model.calibrate(method=\"aps\")` of a model of the zoo. Received: "
                f"probabilities of shape {tuple(prediction.log_mean.shape)}")
        key = noise.key(self.seed, noise.PREDICT, noise.SETS)
        return prediction, noise.row_uniform(self.model.as_inputs(x), key)
