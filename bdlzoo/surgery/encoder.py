"""Features of a network: the inputs of its last layer with weights."""

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls


class Encoder:
    """Runs a network up to, and without, its last layer with weights.

    Not a layer, so that Keras neither tracks nor saves the layers twice. Dropout
    before the last layer is part of the encoder.

    Args:
        network: Built functional or Sequential model; it may hold nested models.
    """

    def __init__(self, network):
        self.functional = keras_internals.graph(network)
        if self.functional is None:
            raise ValueError(
                "Expected a functional or Sequential network: the features inside "
                "a subclassed one cannot be read. Build it from layers with "
                "`keras.Model(inputs, outputs)`. Received: "
                f"{type(network).__name__}")
        self._sources, every, self._results = calls.walk(self.functional,
                                                         unfold=True)
        weighty = [i for i, call in enumerate(every)
                   if getattr(call.layer, "weights", None)]
        if not weighty:
            raise ValueError("Expected a network with a layer that has weights. "
                             f"Received: {network.name}, which has none")
        last = every[weighty[-1]]
        if len(last.inputs) != 1:
            raise ValueError(
                "Expected a last layer that reads one tensor. Received: "
                f"{last.layer.name}, which reads {len(last.inputs)}")
        self.last_layer = last.layer
        [self._features] = last.inputs.values()
        self._calls, self._rest = every[:weighty[-1]], every[weighty[-1]:]

    def __call__(self, inputs, training=False):
        """Features, the inputs of the last layer: `[B, F]` before a dense one."""
        return self._run(inputs, training)[self._features]

    def both(self, inputs, training=False):
        """Features and outputs, in one run of the network."""
        values = self._run(inputs, training)
        for call in self._rest:
            call.run(values, training)
        return values[self._features], values[self._results[0]]

    def _run(self, inputs, training):
        values = dict(zip(self._sources, keras_internals.standardize(
            self.functional, inputs)))
        for call in self._calls:
            call.run(values, training)
        return values
