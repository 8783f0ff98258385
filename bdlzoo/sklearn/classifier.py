"""Classes of any kind of label, by a method of the zoo."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data

from bdlzoo.sklearn.estimator import Estimator, checked_weights


class Classifier(ClassifierMixin, Estimator):
    """Predicts classes of the rows of a table, as scikit-learn's classifiers do.

    It passes `check_estimator` of scikit-learn but for one check: a row of weight 2 is
    not the same as two rows, because batches of an epoch then differ.

    Args:
        method: Name or class of a method of `bdlzoo.methods` that predicts labels.
        network: `None` for a perceptron with what the method needs; name or dictionary
            of a network of `bdlzoo.networks`; function of the shape of a row and the
            number of outputs; or Keras model that gives logits, whose copies start from
            its weights.
        likelihood: Likelihood of classes, `"categorical"` or one like it.
        num_samples: Integer, draws that are averaged at prediction; `None` takes the
            number of the method.
        method_options: Dictionary of other arguments of the method, or `None`.
        epochs: Integer, passes over the data.
        batch_size: Integer, rows of a step.
        optimizer: Name of an optimiser of Keras, or dictionary with the name as `type`.
        learning_rate: Float.
        fit_options: Dictionary of other arguments of `fit` of the model, or `None`.
        standardize: Bool, whether each column gets mean 0 and standard deviation 1.
        row_shape: Shape of a row for the network, such as `(8, 8, 1)`; `None` for that
            of the table.
        random_state: Integer, `None` or `numpy.random.RandomState`, as in scikit-learn.

    Attributes:
        model_: The trained model of the zoo. It reads standardised rows.
        classes_: Labels in the order of the probabilities.
        history_: Logs of the epochs.

    Example:

        model = bdlzoo.sklearn.Classifier("deep_ensemble", epochs=20)
        sklearn.model_selection.cross_val_score(model, x, y)
    """

    def __init__(self, method="mc_dropout", network=None, likelihood="categorical",
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

    def fit(self, X, y, sample_weight=None):
        """Trains a new model.

        Args:
            X: Rows `[N, D]`.
            y: Labels `[N]` of any type.
            sample_weight: Weights `[N]` of the rows in the loss; `None` for none.
        """
        x, y = validate_data(self, X, y, dtype="float32")
        check_classification_targets(y)
        self.classes_, indices = np.unique(
            column_or_1d(y, warn=True), return_inverse=True)
        weights = checked_weights(sample_weight, len(x))
        counted = indices if weights is None else indices[weights > 0]
        if len(np.unique(counted)) < 2:
            raise ValueError("Expected rows of at least two classes. Received: 1 class "
                             f"in {len(x)} rows")
        return self.train(x, indices, len(self.classes_), weights)

    def predict(self, X):
        """Most probable labels `[N]`."""
        probabilities = self.predict_proba(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def predict_proba(self, X):
        """Probabilities `[N, C]`, averaged over the draws, and calibrated."""
        found = self.answer(X, lambda found: found.probabilities).astype("float64")
        return found / np.sum(found, axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """Logarithms of the probabilities, `[N, C]`."""
        return np.log(self.predict_proba(X))

    def predict_uncertainty(self, X):
        """The `Prediction` with all its measures, such as `mutual_information`."""
        return self.prediction(X)
