"""The slot of a model that holds its calibration."""

import keras


@keras.saving.register_keras_serializable(package="bdlzoo")
class Calibration(keras.layers.Layer):
    """Corrects a prediction by what was fitted on held-out data.

    Weights, since an attribute would be frozen into compiled functions and
    lost by a saved file; the identity until something is fitted.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.temperature = self.add_weight(
            name="temperature", initializer="ones", trainable=False,
            autocast=False)
        self.built = True  # Nothing here waits for a shape.

    def correct(self, prediction):
        """Returns the prediction with its averaged predictive corrected."""
        return prediction.tempered(self.temperature)
