"""A layer in which some of the layers inside are replaced by others.

    EditedLayer(block, {("mlp", "dense"): DenseFlipout(...)})

The calls inside of a custom layer cannot be rewired, but they go through its
attributes. The config keeps what the layer was, and what replaces its parts, so that a
file of the network has both, without the code of the layer knowing it.
"""

import functools

import keras

from bdlzoo.core.stacking import Untracked
from bdlzoo.surgery import walk

_serialize = keras.saving.serialize_keras_object
_deserialize = keras.saving.deserialize_keras_object


@keras.saving.register_keras_serializable(package="bdlzoo")
class EditedLayer(keras.layers.Layer):
    """Runs a layer with replacements inside of it.

    Args:
        layer: Layer of Keras that is not built. It is changed.
        edits: List of pairs: the way to a layer directly inside of it, as in
            `bdlzoo.surgery.walk`, and the layer to use in its place.
        **kwargs: Other arguments of `keras.layers.Layer`; name, dtype and `trainable`
            are those of `layer` if not given.
    """

    def __init__(self, layer, edits, **kwargs):
        # Keras reads from the signature whether a layer takes masks and a mode.
        object.__setattr__(self, "call", functools.wraps(layer.call)(
            lambda *args, **kwargs: self._run(*args, **kwargs)))
        super().__init__(**{"name": layer.name, "dtype": layer.dtype_policy,
                            "trainable": layer.trainable, **kwargs})
        self.supports_masking = layer.supports_masking
        # Keras would track them twice: they are inside of the layer.
        self._edits = Untracked([(tuple(way), new) for way, new in edits])
        self._plain_config = Untracked(_serialize(layer))
        self._waiting = Untracked(list(self._edits.value))
        self._apply(layer)
        self.layer = layer
        if self._waiting.value:
            self._edit_when_built(layer)

    @property
    def edits(self):
        """Dictionary from the way to a layer to what replaces it."""
        return dict(self._edits.value)

    def _apply(self, layer):
        """Makes those replacements whose layer is there."""
        left = []
        for way, new in self._waiting.value:
            old = walk.at(layer, way)
            if old is None:
                left.append((way, new))
                continue
            if old.built and not new.built:
                new.build_from_config(old.get_build_config())
            walk.replace(layer, old, new)
        self._waiting.value = left

    def _edit_when_built(self, layer):
        """Some layers make those inside of them in `build` only."""
        build = layer.build

        @functools.wraps(build)
        def build_and_edit(*args, **kwargs):
            build(*args, **kwargs)
            self._apply(layer)

        layer.build = build_and_edit

    def build(self, *args, **kwargs):
        """The layer inside is built when it is called."""

    def _run(self, *args, **kwargs):
        outputs = self.layer(*args, **kwargs)
        if self._waiting.value:
            way, _ = self._waiting.value[0]
            raise ValueError(
                "Expected layers that are made in `__init__` or `build`, so that they "
                f"can be replaced. Received: layer {self.layer.name} of type "
                f"{type(self.layer).__name__}, which has no "
                f"{'.'.join(map(str, way))} once it is built")
        return outputs

    def get_build_config(self):
        return None  # It is built when it is called: shapes do not say all arguments.

    def build_from_config(self, config):
        del config

    def compute_mask(self, inputs, previous_mask=None):
        return self.layer.compute_mask(inputs, previous_mask)

    def get_config(self):
        return {**super().get_config(), "layer": self._plain_config.value,
                "edits": [[list(way), _unbuilt(new)] for way, new in self._edits.value]}

    @classmethod
    def from_config(cls, config):
        edits = [(way, _deserialize(new)) for way, new in config["edits"]]
        return cls(**{**config, "layer": _deserialize(config["layer"]),
                      "edits": edits})


def _unbuilt(layer):
    """Serializes a layer as one that is not built: the layer around it may build it."""
    config = _serialize(layer)
    config.pop("build_config", None)
    return config
