"""Features of a network: the inputs of its last layers with weights, the head."""

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls


class Encoder:
    """Runs a network up to, and without, its last layers with weights.

    Not a layer, so that Keras neither tracks nor saves the layers twice. Dropout
    before the head is part of the encoder.

    Args:
        network: Built functional or Sequential model; it may hold nested models.
        depth: Integer, layers with weights that are the head.
    """

    def __init__(self, network, depth=1):
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
        if depth > len(weighty):
            raise ValueError(
                f"Expected a network with {depth} layers that have weights as its "
                f"head. Received: {network.name}, which has {len(weighty)}")
        cut = weighty[-depth]
        first = every[cut]
        if len(first.inputs) != 1:
            what = "last layer" if depth == 1 else "head"
            raise ValueError(
                f"Expected a {what} that reads one tensor. Received: "
                f"{first.layer.name}, which reads {len(first.inputs)}")
        self.last_layer = every[weighty[-1]].layer
        [self._features] = first.inputs.values()
        self._calls, self._rest = every[:cut], every[cut:]
        self.head = [call.layer for call in self._rest
                     if getattr(call.layer, "weights", None)]
        made = {self._features, *(key for call in self._rest for key in call.outputs)}
        if depth > 1 and any(key not in made for call in self._rest
                             for key in call.inputs.values()):
            raise ValueError(
                "Expected a head that reads the features alone: choose fewer layers "
                f"for it. Received: depth={depth} for network {network.name}, whose "
                "head reads other tensors too")

    def __call__(self, inputs, training=False):
        """Features, the inputs of the last layer: `[B, F]` before a dense one."""
        return self._run(inputs, training)[self._features]

    def both(self, inputs, training=False):
        """Features and outputs, in one run of the network."""
        values = self._run(inputs, training)
        return values[self._features], self._finish(values, training)

    def finish(self, features, training=False, layers=None):
        """Outputs for features.

        Args:
            features: Tensor that a call returned.
            training: Bool, whether layers run in training mode.
            layers: List of layers that take the place of `head`; `None` for none.
        """
        return self._finish({self._features: features}, training, layers)

    def _finish(self, values, training, layers=None):
        others = dict(zip(map(id, self.head), layers or self.head))
        for call in self._rest:
            call.run(values, training, others.get(id(call.layer)))
        return values[self._results[0]]

    def _run(self, inputs, training):
        values = dict(zip(self._sources, keras_internals.standardize(
            self.functional, inputs)))
        for call in self._calls:
            call.run(values, training)
        return values
