"""What `ok` means: truths that a model must keep, each with its own message."""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals

TOLERANCE = 1e-5
_RATES = ("rate", "dropout", "recurrent_dropout")


def close(found, wanted, what, tolerance=TOLERANCE):
    """Raises unless two arrays are equal, absolutely or relative to their size."""
    found, wanted = np.asarray(found, "float64"), np.asarray(wanted, "float64")
    assert found.shape == wanted.shape, (
        f"{what}: shape {found.shape} in place of {wanted.shape}")
    assert np.isfinite(found).all(), f"{what}: numbers that are not finite"
    gap = np.max(np.abs(found - wanted) / np.maximum(1.0, np.abs(wanted)), initial=0.0)
    assert gap <= tolerance, f"{what}: {gap:.2g} apart"


def differ(draws):
    """Raises if two draws are the same."""
    assert _spread(draws) > 1e-6, "draws are all equal"


def agree(draws):
    """Raises if the draws of a point network differ."""
    assert _spread(draws) <= 1e-6, "draws of a network without noise differ"


def _spread(draws):
    draws = np.asarray(draws)
    return np.max(np.abs(draws - draws[:1]))


def warned(names, messages):
    """Raises unless a warning has one of some names in it."""
    assert any(name in message for name in names for message in messages), (
        f"no warning names {' or '.join(names)}; warnings: {messages}")


def finite(history):
    """Raises if a figure of the training is not finite."""
    for name, values in history.items():
        assert np.isfinite(values).all(), f"{name} is not finite: {values}"


def moved(model, before):
    """Raises if training changed no weight, or made one that is not finite."""
    after = [keras.ops.convert_to_numpy(w) for w in model.trainable_variables]
    assert all(np.isfinite(w).all() for w in after), "weights are not finite"
    assert any(not np.array_equal(a, b) for a, b in zip(after, before, strict=True)), (
        "training changed no weight")


def complete(found, network, copies=1):
    """Raises unless a model trains as many numbers as its network, times copies."""
    wanted = copies * size(network)
    assert size(found) == wanted, (
        f"{size(found)} trained numbers in place of {wanted}")


def size(network):
    """How many numbers of a network are trained."""
    return sum(int(np.prod(w.shape)) for w in network.trainable_variables)


def kept(found, network, names):
    """Raises if the state of named layers is another one than in the network."""
    for name in names:
        [old], [new] = ([layer for layer in keras_internals.layers(each)
                         if layer.name == name] for each in (network, found))
        for a, b in zip(_state(new), _state(old), strict=True):
            assert np.array_equal(a, b), f"the state of layer {name} is lost"


def _state(layer):
    words = [layer.get_vocabulary()] if hasattr(layer, "get_vocabulary") else []
    scale = [value for value in (getattr(layer, "mean", None),
                                 getattr(layer, "variance", None)) if value is not None]
    return [np.asarray(value) for value in (*words, *scale, *layer.get_weights())]


def quiet(network):
    """Turns all dropout of a network off, in place."""
    for layer in keras_internals.layers(network):
        for name in _RATES:
            if isinstance(getattr(layer, name, None), float) and not hasattr(
                    type(layer), name):  # A property shows the rate of a part.
                setattr(layer, name, 0.0)
    return network


def outputs(network, inputs):
    """What a Keras model answers, outside of all draws."""
    tensors = tf.nest.map_structure(tf.convert_to_tensor, inputs)
    return tf.nest.map_structure(lambda part: np.asarray(tf.cast(part, tf.float32)),
                                 network(tensors, training=False))


def answer(raw, likelihood):
    """Mean of the prediction that the likelihood reads from raw outputs."""
    spec = likelihood if isinstance(likelihood, dict) else {"type": likelihood}
    if spec["type"] == "heteroscedastic_gaussian":
        return np.split(raw, 2, axis=-1)[0]
    if spec["type"] == "gaussian" or not spec.get("from_logits", True):
        return raw
    if spec["type"] == "bernoulli":
        return 1.0 / (1.0 + np.exp(-raw))
    powers = np.exp(raw - raw.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
