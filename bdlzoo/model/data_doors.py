"""Mixin of the ways into a model: what `evaluate`, `predict` and `build` are given."""

import keras

from bdlzoo.core import arrays, batches
from bdlzoo.core.checks import check_count
from bdlzoo.model import batch_sources
from bdlzoo.model.batch_checks import BatchChecks
from bdlzoo.model.training_data import held_out
from bdlzoo.surgery import input_form, output_shape


def check_sizes(**sizes):
    """Raises where a size is neither `None` nor a whole number of at least 1."""
    for name, size in sizes.items():
        if size is not None:
            check_count(name, size)


class DataDoors:
    """Methods that take data of all kinds, and remember what the inputs look like."""

    blueprint = None  # Network that says how inputs look; `None` takes any.

    def as_inputs(self, x):
        """Inputs in the form that the network takes: arrays and tensors.

        Args:
            x: Arrays, frames or series, or dictionaries and tuples of them.
        """
        x = arrays.of_inputs(x)
        network = self.blueprint
        if network is None:
            return x
        x = input_form.fitted(network, x)
        if all(hasattr(part, "dtype") for part in batches.flat(x)) and (
                not self.built or input_form.dtypes(network) is None):
            input_form.remember(network, x)
        return x

    def takes(self, specs):
        """Whether specs of inputs are those of the network already."""
        network = self.blueprint
        if network is None:
            return True
        if not self.built or input_form.dtypes(network) is None:
            input_form.remember(network, specs)
        return input_form.is_fitted(network, specs)

    def check_sets(self, data):
        """Raises where the sets of `fit` are not those that the model learns from.

        Args:
            data: `TrainingData`, each set of which was checked before.
        """

    def rows_of_batch(self, name, batch_size):
        """Rows of a set in a batch, where sets stand beside the inputs.

        Args:
            name: Name of the set; `None` for the inputs.
            batch_size: Integer, what `fit` was told.
        """
        del name
        return batch_size

    def output_rank(self, x):
        """Rank of the outputs for a batch of inputs; 2 where nobody knows."""
        return 2 if self.blueprint is None else len(
            output_shape.of(self.blueprint, batches.row_shapes(x)))

    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto",
                 sample_weight=None, **kwargs):
        checks = BatchChecks(self)
        # `fit` has checked the validation data, and marks its own calls.
        if "_use_cached_eval_dataset" not in kwargs:
            check_sizes(batch_size=batch_size)
            x, y, sample_weight = batch_sources.converted(self, x, y, sample_weight)
            x = self._opened(x)
            if batches.is_arrays(x):
                self.check_data(x, y)
                self.remember_targets(y)
                batches.check_finite(sample_weight, "sample weights")
            x = checks.watched(x)
            if y is None and sample_weight is not None and batches.is_arrays(x):
                x = held_out((x, None, sample_weight), batch_size or 32)
                sample_weight = batch_size = None
        with checks.explained():
            return super().evaluate(x, y, batch_size, verbose, sample_weight, **kwargs)

    def predict(self, x, batch_size=None, **kwargs):
        check_sizes(batch_size=batch_size)
        x, _, _ = batch_sources.converted(self, x)
        x = self._opened(x)
        if batches.is_arrays(x):
            self.check_inputs(x)
        checks = BatchChecks(self, inputs_only=True)
        # Keras unrolls the steps of one execution when it predicts.
        steps = getattr(self, "steps_per_execution", 1)
        self.steps_per_execution = 1
        try:
            with checks.explained():
                return super().predict(checks.watched(x), batch_size, **kwargs)
        finally:
            self.steps_per_execution = steps

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None,
                       return_dict=False):
        """As in Keras. `num_data` must be known: of the constructor, or of `fit`."""
        x, y, sample_weight = self._checked_batch(x, y, sample_weight)
        if self.fixed_num_data:
            self.num_data.assign(self.fixed_num_data)
        elif self.needs_num_data and float(self.num_data) == 1.0:
            raise ValueError(
                "Expected a known size of the training set, since the prior is weighed "
                f"by it: give `num_data=` to {type(self).__name__}, or call `fit` "
                "before. Received: num_data=None")
        return super().train_on_batch(x, y, sample_weight, class_weight, return_dict)

    def test_on_batch(self, x, y=None, sample_weight=None, return_dict=False):
        x, y, sample_weight = self._checked_batch(x, y, sample_weight)
        self.check_ready()
        return super().test_on_batch(x, y, sample_weight, return_dict)

    def predict_on_batch(self, x):
        x, _, _ = batch_sources.converted(self, x)
        x = self._opened(x)
        self.check_inputs(x)
        return super().predict_on_batch(x)

    def _checked_batch(self, x, y, sample_weight):
        """Inputs, targets and weights of one batch that nothing is wrong with."""
        x, y, sample_weight = batch_sources.converted(self, x, y, sample_weight)
        self.check_data(x, y)
        batches.check_finite(sample_weight, "sample weights")
        with self.distribute_strategy.scope():
            self.build_once(x)
        return x, y, sample_weight

    def _opened(self, x):
        """Data of a built model that is ready: they build it if nothing has yet."""
        if not self.built:
            sample = None
            if batch_sources.is_iterator(x):
                sample, x = batch_sources.peeked(x)
            sample = sample or batches.example(x)
            if sample is not None:
                with self.distribute_strategy.scope():
                    self.build_once(sample[0])
        if self.built:
            self.check_ready()
        return x

    @property
    def input_type(self):
        """Type that inputs are cast to, a string."""
        return keras.backend.floatx() if self.blueprint is None else (
            input_form.computing_type(self.blueprint))

    def check_inputs(self, x):
        """Raises where arrays are no inputs of the model."""
        batches.check_rows(x)
        batches.check_finite(x, dtype=self.input_type)

    def remember_targets(self, y):
        """Is called with targets before a training, or an evaluation of arrays."""

    def build_once(self, x):
        """Builds from a batch: the steps below never use `call`."""
        if not self.built:
            if self.blueprint is not None:
                input_form.remember(self.blueprint, x)
            self.build(batches.row_shapes(x))

    def summary(self, line_length=None, positions=None, print_fn=None,
                expand_nested=True, show_trainable=False, layer_range=None):
        """As in Keras, but with the layers of the network unless told otherwise."""
        super().summary(line_length, positions, print_fn, expand_nested,
                        show_trainable, layer_range)

    def get_build_config(self):
        config = super().get_build_config()
        known = None if self.blueprint is None else input_form.dtypes(self.blueprint)
        return config if known is None else {**config, "input_dtypes": list(known)}

    def build_from_config(self, config):
        config = dict(config)
        known = config.pop("input_dtypes", None)
        if known and self.blueprint is not None:
            input_form.remember(self.blueprint, known)
        super().build_from_config(config)
