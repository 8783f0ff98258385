"""Base class of the estimators: builds and trains a model of the zoo."""

import pathlib
import tempfile

import keras
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from bdlzoo import methods as _methods  # noqa: F401  Known by name.
from bdlzoo.core import registry
from bdlzoo.model.predictive_model import PredictiveModel
from bdlzoo.sklearn.default_network import network_of

_SEEDS = 2**31
_GROUP = 64  # Rows, a multiple of the lengths of vectors of processors.


class Estimator(BaseEstimator):
    """Trains a method on the rows of a table.

    A subclass has the constructor, because scikit-learn reads its arguments, and says
    how targets are read and predicted.
    """

    @property
    def model_kind(self):
        """Class of the method."""
        kind = self.method if isinstance(self.method, type) else (
            registry.find(self.method))
        if not isinstance(kind, type) or not issubclass(kind, PredictiveModel):
            raise ValueError("Expected a method of the zoo that predicts labels. "
                             f"Received: method={self.method!r}")
        return kind

    def train(self, x, targets, outputs, weights):
        """Trains a new model on checked rows; returns the estimator.

        Args:
            x: Array `[N, D]`.
            targets: Array, as the likelihood takes them.
            outputs: Integer, number of raw outputs of the network.
            weights: What `checked_weights` returned.
        """
        seed = int(check_random_state(self.random_state).randint(_SEEDS))
        self._center, self._scale = spread(x) if self.standardize else (
            np.zeros(x.shape[1], "float32"), np.ones(x.shape[1], "float32"))
        rows, kind = self._rows(x), self.model_kind
        arguments = dict(self.method_options or {})
        if self.num_samples is not None:
            arguments["num_samples"] = self.num_samples
        network = network_of(self.network, kind, rows.shape[1:], outputs, seed)
        model = kind(network, self.likelihood, seed=seed, **arguments)
        optimizer = {"type": self.optimizer} if isinstance(self.optimizer, str) else (
            dict(self.optimizer))
        model.compile(registry.build(
            {"learning_rate": self.learning_rate, **optimizer}, keras.optimizers))
        self.history_ = model.fit(
            rows, targets, batch_size=min(self.batch_size, len(x)),
            epochs=self.epochs, sample_weight=weights,
            **{"verbose": 0, **(self.fit_options or {})}).history
        self.model_ = model
        return self

    def prediction(self, x):
        """`Prediction` of the model for the rows of a table."""
        return self.model_.predict_uncertainty(self._checked(x))

    def answer(self, x, read):
        """Array that a function reads from the `Prediction`, row by row.

        Rows are filled up, so that none is computed as the rest of a vector: its last
        digit would depend on its place in the table.

        Args:
            x: Rows of a table.
            read: Function of a `Prediction` that returns an array `[N, ...]`.
        """
        rows = self._checked(x)
        filled = np.resize(rows, [-(-len(rows) // _GROUP) * _GROUP, *rows.shape[1:]])
        return np.asarray(read(self.model_.predict_uncertainty(filled)))[:len(rows)]

    def _checked(self, x):
        check_is_fitted(self)
        return self._rows(validate_data(self, x, reset=False, dtype="float32"))

    def _rows(self, x):
        """Rows as the network takes them."""
        rows = ((x - self._center) / self._scale).astype("float32")
        return rows if self.row_shape is None else rows.reshape(
            len(rows), *self.row_shape)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "model_" in state:
            state["model_"] = _file_of(state["model_"])
        return state

    def __setstate__(self, state):
        if "model_" in state:
            state = {**state, "model_": _model_of(state["model_"])}
        super().__setstate__(state)


def spread(values):
    """Mean and standard deviation of columns; 1 where a column is constant."""
    values = np.asarray(values, "float64")
    scale = np.std(values, axis=0)
    # A constant column may have a tiny spread, of rounding alone.
    constant = scale <= 1e-7 * np.abs(np.mean(values, axis=0))
    return np.mean(values, axis=0), np.where(constant, 1.0, scale)


def checked_weights(sample_weight, rows):
    """Weights of rows as an array; `None` stays `None`.

    Args:
        sample_weight: Weights of the rows, or `None`.
        rows: Integer, number of rows.
    """
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, "float32")
    if weights.shape != (rows,):
        raise ValueError(f"Expected a weight for each of {rows} rows. Received: "
                         f"sample_weight.shape={weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("Expected weights that are finite, not negative, and not all "
                         f"zero. Received: sample_weight={weights}")
    return weights


def _file_of(model):
    """Bytes of the `.keras` file of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.keras")
        model.save(path)
        return path.read_bytes()


def _model_of(content):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model.keras")
        path.write_bytes(content)
        return keras.saving.load_model(path)
