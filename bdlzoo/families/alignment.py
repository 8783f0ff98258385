"""Base class of terms of a loss that bring two domains together.

A method of domain adaptation is a list of them. So one method can take those of
another: see `bdlzoo.families.adapting_model`.
"""

import keras

from bdlzoo.core import registry


class Alignment(keras.layers.Layer):
    """Some terms of a loss, and the weights that belong to them.

    A subclass writes `terms`, and `attach` if it has weights.
    """

    needs_teacher = False  # Whether it reads what the teacher says of the target.
    head_layers = None  # Layers with weights that it needs as the head of the network.
    schedules = ()  # Names of the attributes that may be schedules over steps.

    def attach(self, model, feature_size, key):
        """Makes the weights, once the network is known.

        Args:
            model: `AdaptingModel`.
            feature_size: Integer, numbers of the features of a row.
            key: Key of the initial weights.
        """
        self.built = True

    def terms(self, model, pair):
        """Terms of the loss in a step, in a graph.

        Args:
            model: `AdaptingModel`.
            pair: `DomainPair`.

        Returns:
            Dictionary from a name to a pair: weight in the loss, and value.
        """
        raise NotImplementedError

    def further_steps(self, model, batch, key):
        """Steps after that of the loss; by default there are none.

        Args:
            model: `AdaptingModel`.
            batch: Tuple of inputs, targets, weights of rows, and inputs of the target.
            key: Key of the noise.

        Returns:
            Dictionary of logs.
        """
        del model, batch, key
        return {}


def scheduled(value):
    """A number, or the schedule of a spec or of a saved config."""
    if isinstance(value, dict) and "class_name" in value:
        return keras.saving.deserialize_keras_object(value)
    return registry.build(value, keras.optimizers.schedules)


def value_at(value, step):
    """A number, or the value of a schedule at a step."""
    return value(step) if callable(value) else value
