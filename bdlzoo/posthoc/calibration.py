"""Layer that stores the calibration of a model."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import written_out
from bdlzoo.core.class_prediction import ClassPrediction
from bdlzoo.core.conformal import SetRule, linear_threshold

_REPAIRS = ("temperature", "vector", "isotonic")  # In the order of `kind`.
_NUM_KNOTS = 64


@keras.saving.register_keras_serializable(package="bdlzoo")
class Calibration(keras.layers.Layer):
    """Corrects a prediction by a calibration that was fitted on held-out data.

    The calibration is stored as weights, because an attribute would be frozen into
    compiled functions and would not be saved. Until something is fitted, predictions
    do not change. One correction of the averaged predictive (temperature, vector
    scaling or isotonic curves) replaces the other. Conformal sets and intervals are
    made from the corrected predictive.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.temperature = self._slot("temperature", (), "ones")
        self.kind = self._slot("kind", (), "zeros", "int32")
        self.level = self._slot("level", (), "zeros")

    def build(self, prediction):
        """Makes the weights, with the sizes of a prediction."""
        endless = keras.initializers.Constant(np.inf)
        if not isinstance(prediction, ClassPrediction):
            size = prediction.means.shape[-1]
            self.threshold = self._slot("threshold", (size,), endless)
            return
        size = prediction.log_mean.shape[-1]
        self.scale = self._slot("scale", (size,), "ones")
        self.shift = self._slot("shift", (size,), "zeros")
        self.knots = self._slot("knots", (size, _NUM_KNOTS), _line)
        self.values = self._slot("values", (size, _NUM_KNOTS), _line)
        self.threshold = self._slot("threshold", (), endless)
        self.cumulative = self._slot("cumulative", (), "zeros")
        self.penalty = self._slot("penalty", (), "zeros")
        self.free_rank = self._slot("free_rank", (), "zeros")
        self.extra = self._slot("extra", (), "zeros")

    def _slot(self, name, shape, initializer, dtype=None):
        return self.add_weight(name=name, shape=shape, initializer=initializer,
                               dtype=dtype, trainable=False, autocast=False)

    def correct(self, prediction, uniforms=None):
        """Returns the prediction with its averaged predictive corrected.

        Args:
            prediction: Prediction that the likelihood made from draws.
            uniforms: A uniform number for each row, `[B]`; `None` gives neither
                sets nor intervals.
        """
        tempered = prediction if getattr(prediction, "rigid", "") else (
            prediction.tempered(self.temperature))
        if not isinstance(prediction, ClassPrediction):
            return tempered if uniforms is None else tempered.with_interval(
                tf.convert_to_tensor(self.threshold))
        scale, shift, knots, values = map(tf.convert_to_tensor, (
            self.scale, self.shift, self.knots, self.values))
        log_mean = written_out.chosen(self.kind, [
            lambda: tempered.log_mean,
            lambda: prediction.scaled(scale, shift).log_mean,
            lambda: prediction.mapped(knots, values).log_mean])
        rule = None if uniforms is None else SetRule(*map(tf.convert_to_tensor, (
            self.threshold, self.cumulative, self.penalty, self.free_rank,
            self.extra)))
        return prediction.with_sets(log_mean, rule, uniforms)

    def repair(self, method, fitted):
        """Stores the result of `fit_temperature` or of another correction.

        Args:
            method: `"temperature"`, `"vector"` or `"isotonic"`.
            fitted: Temperature, or pair of arrays that the fit returned.
        """
        self.temperature.assign(fitted if method == "temperature" else 1.0)
        if method == "vector":
            self.scale.assign(fitted[0])
            self.shift.assign(fitted[1])
        elif method == "isotonic":
            self.knots.assign(fitted[0])
            self.values.assign(fitted[1])
        self.kind.assign(_REPAIRS.index(method))
        # The threshold was fitted for the predictive before this correction.
        self.threshold.assign(np.full(self.threshold.shape, np.inf))

    def cover(self, level, threshold, cumulative=0.0, penalty=0.0, free_rank=0.0,
              extra=0.0):
        """Stores a conformal threshold.

        Args:
            level: Float, the coverage that was asked for.
            threshold: Threshold of the scores: a float for classes, the surprise in
                nats; `[D]` for numbers.
            cumulative: Float, 1 for APS and RAPS, 0 for LAC.
            penalty: Float, penalty of RAPS for each rank.
            free_rank: Float, number of ranks without a penalty.
            extra: Float, the penalty in the score that is the threshold.
        """
        self.level.assign(level)
        self.threshold.assign(threshold)
        if hasattr(self, "cumulative"):
            self.cumulative.assign(cumulative)
            self.penalty.assign(penalty)
            self.free_rank.assign(free_rank)
            self.extra.assign(extra)

    def check_without_noise(self):
        """Raises where an answer has sets that random numbers complete."""
        if self.is_conformal() and bool(getattr(self, "cumulative", 0.0) > 0.0):
            raise ValueError(
                "Expected sets without random numbers, if the draws are fixed: call "
                "`calibrate` with `method=\"lac\"`, or export as "
                "`format=\"tf_saved_model\"`. Received: sets of \"aps\" or "
                "\"raps\"")

    def load_own_variables(self, store):
        """Loads the weights; those of older files have no `extra`.

        Their threshold is that of a score, and becomes a surprise.

        Args:
            store: Mapping of the names of weights in a file to arrays.
        """
        older = len(store.keys()) == len(self.variables) - 1
        if older and hasattr(self, "extra"):
            names = [weight.name for weight in self.variables]
            place, last = str(names.index("threshold")), str(names.index("extra"))
            store = {name: np.asarray(store[name]) for name in store.keys()}
            store[place], store[last] = linear_threshold(store[place])
        super().load_own_variables(store)

    def is_conformal(self):
        """Returns whether a threshold was fitted, as a Python bool."""
        return self.built and bool(np.isfinite(self.threshold.numpy()).all())


def _line(shape, dtype=None):
    """The identity on [0, 1], as a table."""
    return tf.broadcast_to(tf.linspace(tf.zeros([], dtype), 1.0, shape[-1]), shape)
