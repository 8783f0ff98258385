"""Split of a network at its first noise: the trunk runs once, the head per draw.

A call of a layer is random if the layer draws noise or one of its inputs is random.
The frontier is the set of tensors that random calls read and other calls compute.
Nested functional models are split too. The calls of a subclassed network are hidden,
so that all of it is the head.
"""

from absl import logging

from bdlzoo.core import keras_internals
from bdlzoo.surgery import calls


class Trunk:
    """Runs a network in two parts.

    Not a layer, so that Keras neither tracks nor saves the layers twice.

    Args:
        network: Built Keras model, adopted by the zoo.
        live: Layers that belong to the head too, with all that depends on them;
            nested models are then split in any case.
    """

    def __init__(self, network, live=()):
        self.network = network
        self.functional = keras_internals.graph(network)
        if self.functional is None:
            logging.info("Network %s is subclassed: each draw runs all of it.",
                         network.name)
            return
        self.sources, network_calls, self.results = calls.walk(
            self.functional, unfold=bool(live))
        random, wanted = set(), set(map(id, live))
        for call in network_calls:
            if (call.random or random.intersection(call.inputs.values())
                    or wanted.intersection(map(id, _layers(call.layer)))):
                random.update(call.outputs)
        self.before = [c for c in network_calls
                       if not random.intersection(c.outputs)]
        self.after = [c for c in network_calls
                      if random.intersection(c.outputs)]
        read = {key for call in self.after for key in call.inputs.values()}
        self.frontier = (read | set(self.results)) - random

    def begin(self, inputs, training=False):
        """Runs the deterministic part; returns the inputs of `finish`."""
        if self.functional is None:
            return inputs
        tensors = keras_internals.standardize(self.functional, inputs)
        values = dict(zip(self.sources, tensors))
        for call in self.before:
            call.run(values, training)
        return {key: values[key] for key in self.frontier}

    def finish(self, hidden, training=False):
        """Runs the random part inside the draw scope of the caller."""
        if self.functional is None:
            return self.network(hidden, training=training)
        values = dict(hidden)
        for call in self.after:
            call.run(values, training)
        outputs = [values[key] for key in self.results]
        return outputs[0] if len(outputs) == 1 else outputs


def _layers(layer):
    """A layer and those inside of it; an operation has none."""
    return keras_internals.layers(layer) if hasattr(layer, "weights") else ()
