"""Mixin of the ways into a model: what `evaluate`, `predict` and `build` are given."""

from bdlzoo.core import arrays, batches
from bdlzoo.model import batch_sources
from bdlzoo.model.training_data import held_out
from bdlzoo.surgery import input_form, output_shape


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

    def output_rank(self, x):
        """Rank of the outputs for a batch of inputs; 2 where nobody knows."""
        return 2 if self.blueprint is None else len(
            output_shape.of(self.blueprint, batches.row_shapes(x)))

    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto",
                 sample_weight=None, **kwargs):
        # `fit` has checked the validation data, and marks its own calls.
        if "_use_cached_eval_dataset" not in kwargs:
            x, y, sample_weight = batch_sources.converted(self, x, y, sample_weight)
            if self.built:
                self.check_ready()
            if batches.is_arrays(x):
                self.check_data(x, y)
            if y is None and sample_weight is not None and batches.is_arrays(x):
                x = held_out((x, None, sample_weight), batch_size or 32)
                sample_weight = batch_size = None
        return super().evaluate(x, y, batch_size, verbose, sample_weight, **kwargs)

    def predict(self, x, **kwargs):
        x, _, _ = batch_sources.converted(self, x)
        if self.built:
            self.check_ready()
        # Keras unrolls the steps of one execution when it predicts.
        steps, self.steps_per_execution = self.steps_per_execution, 1
        try:
            return super().predict(x, **kwargs)
        finally:
            self.steps_per_execution = steps

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
