"""Numbers with their uncertainty, by a method of the zoo."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from bdlzoo.core import registry
from bdlzoo.likelihoods import CountLikelihood, Distribution
from bdlzoo.sklearn.estimator import Estimator, checked_weights, spread

_MOST = 32  # Outputs of a network for each number, at most.


class Regressor(RegressorMixin, Estimator):
    """Predicts numbers of the rows of a table, as scikit-learn's regressors do.

    It passes `check_estimator` of scikit-learn but for one check: a row of weight 2 is
    not the same as two rows, because batches of an epoch then differ.

    Args:
        method: Name or class of a method of `bdlzoo.methods` that predicts labels.
        network: `None` for a perceptron with what the method needs; name or dictionary
            of a network of `bdlzoo.networks`; function of the shape of a row and the
            number of outputs; or Keras model that gives what the likelihood reads,
            whose copies start from its weights.
        likelihood: Likelihood of numbers: `"gaussian"` has the same noise everywhere,
            `"heteroscedastic_gaussian"` learns it for each row.
        num_samples: Integer, draws that are averaged at prediction; `None` takes the
            number of the method.
        method_options: Dictionary of other arguments of the method, or `None`.
        epochs: Integer, passes over the data.
        batch_size: Integer, rows of a step.
        optimizer: Name of an optimiser of Keras, or dictionary with the name as `type`.
        learning_rate: Float.
        fit_options: Dictionary of other arguments of `fit` of the model, or `None`.
        standardize: Bool, whether each column of the rows and of the targets gets mean
            0 and standard deviation 1; counts stay as they are.
        row_shape: Shape of a row for the network, such as `(8, 8, 1)`; `None` for that
            of the table.
        random_state: Integer, `None` or `numpy.random.RandomState`, as in scikit-learn.

    Attributes:
        model_: The trained model of the zoo, from standardised rows to standardised
            targets.
        history_: Logs of the epochs.

    Example:

        model = bdlzoo.sklearn.Regressor("deep_ensemble").fit(x, y)
        mean, std = model.predict(x, return_std=True)
        low, high = model.predict_interval(x, level=0.9)
    """

    def __init__(self, method="mc_dropout", network=None, likelihood="gaussian",
                 num_samples=None, method_options=None, epochs=50, batch_size=32,
                 optimizer="adam", learning_rate=0.003, fit_options=None,
                 standardize=True, row_shape=None, random_state=None):
        self.method = method
        self.network = network
        self.likelihood = likelihood
        self.num_samples = num_samples
        self.method_options = method_options
        self.epochs = epochs
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.fit_options = fit_options
        self.standardize = standardize
        self.row_shape = row_shape
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y, sample_weight=None):
        """Trains a new model.

        Args:
            X: Rows `[N, D]`.
            y: Numbers `[N]`, or `[N, T]`.
            sample_weight: Weights `[N]` of the rows in the loss; `None` for none.
        """
        x, y = validate_data(self, X, y, dtype="float32", y_numeric=True,
                             multi_output=True)
        self._is_flat = y.ndim == 1
        columns = np.asarray(y, "float64").reshape(len(x), -1)
        likelihood = registry.build(self.likelihood)
        keeps_units = isinstance(likelihood, (CountLikelihood, Distribution))
        size = columns.shape[1]
        self._target_center, self._target_scale = spread(columns) if (
            self.standardize and not keeps_units) else (np.zeros(size), np.ones(size))
        targets = (columns - self._target_center) / self._target_scale
        targets = targets.astype("float32")
        return self.train(x, targets, self._outputs(targets),
                          checked_weights(sample_weight, len(x)))

    def predict(self, X, return_std=False):
        """Means `[N]` or `[N, T]`; with `return_std` the standard deviations too."""
        if not return_std:
            return self._of_units(self.answer(X, lambda found: found.mean))
        found = self.answer(X, lambda found: np.stack([found.mean, found.std], axis=1))
        return self._of_units(found[:, 0]), self._of_units(found[:, 1], center=False)

    def predict_interval(self, X, level=0.95):
        """Central interval of each number: `(low, high)`.

        Args:
            X: Rows `[N, D]`.
            level: Float, probability that the number lies inside.
        """
        found = self.answer(X, lambda found: np.stack(found.interval(level), axis=1))
        return self._of_units(found[:, 0]), self._of_units(found[:, 1])

    def _of_units(self, values, center=True):
        """Numbers in the units and the shape of the targets."""
        values = np.asarray(values, "float64") * self._target_scale
        values = values + self._target_center if center else values
        return values[:, 0] if self._is_flat else values

    def _outputs(self, targets):
        """Raw outputs that the likelihood needs for these targets."""
        size = targets.shape[1]
        for outputs in range(size, _MOST * size + 1, size):
            likelihood = registry.build(self.likelihood)
            try:
                likelihood.build((None, outputs))
                likelihood.check_targets(targets[:1], (None, outputs))
            except ValueError as error:
                failure = error
            else:
                return outputs
        raise failure
