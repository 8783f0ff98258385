"""Constraint on the size of every single weight."""

import keras


@keras.saving.register_keras_serializable(package="bdlzoo")
class WeightClip(keras.constraints.Constraint):
    """Keeps every number between `-limit` and `limit`.

    Args:
        limit: Positive float.
    """

    def __init__(self, limit):
        self.limit = limit

    def __call__(self, weight):
        return keras.ops.clip(weight, -self.limit, self.limit)

    def get_config(self):
        return {"limit": self.limit}
