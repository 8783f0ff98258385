"""Base classes of likelihoods, and checks of targets.

Outputs of a network are `[B, ..., C]`. The axes between the batch and the last one are
positions, such as time steps or pixels, and each position is a data point.
"""

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core.batches import all_finite, all_of, has_floats, seem_finite

_ROUNDING = 1e-3  # Of sums of class probabilities, which may come in half precision.


class Likelihood(keras.layers.Layer):
    """Reads network outputs as a density, and draws of them as a prediction.

    A likelihood is a layer, because its noise may be learnt; `build` gets the shape of
    the network's output. A subclass writes `log_prob`, `prediction` and
    `check_targets`. It lists in `default_metrics` the metrics that `evaluate` reports
    beside the negative log-likelihood, the most important one first.

    Args:
        **kwargs: Arguments of `keras.layers.Layer`, such as `name`.
    """

    default_metrics = ()

    def __init__(self, **kwargs):
        super().__init__(**kwargs)

    def log_prob(self, targets, outputs):
        """Log density of the target at each position.

        Args:
            targets: Targets `[B, ...]`, one or several numbers a position.
            outputs: Outputs of draws, `[S, B, ..., C]`; without the axis of draws only
                as `[B, C]`.

        Returns:
            Tensor `[S, B, ...]`, or `[B]`.
        """
        raise NotImplementedError

    def counts(self, targets, outputs):
        """Bools `[B, ...]` of the positions that have a target; `None` if all do.

        Args:
            targets: Targets as in `log_prob`.
            outputs: Outputs as in `log_prob`; only their shape is read.
        """
        del targets, outputs
        return None

    def prediction(self, draws):
        """Turns raw outputs of draws, `[S, B, ..., C]`, into a prediction."""
        raise NotImplementedError

    def check_targets(self, targets, output_shape):
        """Raises a `ValueError` if targets do not fit the outputs."""
        raise NotImplementedError

    def quick_check(self, targets, output_shape):
        """A quick look at the targets of a batch, inside a graph.

        Args:
            targets: Tensor of targets.
            output_shape: Shape of the outputs, batch first; `None` for an open size.

        Returns:
            Scalar bool. `False` means that the targets may be wrong: `check_targets`
            then decides, which takes longer. By default it always decides.
        """
        del targets, output_shape
        return tf.constant(False)


class ClassLikelihood(Likelihood):
    """Base class of likelihoods of classes.

    Args:
        from_logits: Bool, whether outputs are logits. `False` reads them as
            probabilities, for a network that ends in a softmax or a sigmoid; logits
            are more exact for small probabilities.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `name`.
    """

    def __init__(self, from_logits=True, **kwargs):
        super().__init__(**kwargs)
        self.from_logits = from_logits

    def labels(self, targets, outputs):
        """Class indices of targets, int32 `[B, ...]`.

        Args:
            targets: Targets as in `log_prob`.
            outputs: Outputs as in `log_prob`; only their shape is read.
        """
        return tf.reshape(tf.cast(targets, tf.int32), position_sizes(outputs))

    def get_config(self):
        return {**super().get_config(), "from_logits": self.from_logits}


def position_sizes(outputs):
    """Sizes of the batch and of the axes of positions: a vector `[B, ...]`.

    Args:
        outputs: Tensor `[S, B, ..., C]`, or `[B, C]`.
    """
    return tf.shape(outputs)[1 if len(outputs.shape) > 2 else 0:-1]


def has_class_axis(targets, outputs):
    """Whether targets are class probabilities, such as one-hot rows, not indices.

    Args:
        targets: Array or tensor of targets.
        outputs: Tensor `[S, B, ..., C]`, or `[B, C]`.
    """
    rank = len(outputs.shape) - (len(outputs.shape) > 2)
    size = outputs.shape[-1]
    shape = targets.shape if hasattr(targets, "shape") else np.shape(targets)
    if tf.is_tensor(targets) and shape.rank is None:
        raise ValueError(
            "Expected targets of one rank: call `compile` again before data whose "
            "targets have another rank, such as one-hot rows after indices. Received: "
            "targets of unknown rank")
    return len(shape) == rank and size > 1 and shape[-1] == size


def check_classes(targets, num_classes, ignore_class=None):
    """Raises a `ValueError` if targets are not integers in `[0, num_classes)`.

    Args:
        targets: Array of labels.
        num_classes: Integer, number of classes.
        ignore_class: Integer, a label that is allowed too; `None` for none.
    """
    targets = np.asarray(targets)
    wrong = (targets < 0) | (targets >= num_classes) | (targets % 1 != 0)
    if ignore_class is not None:
        wrong &= targets != ignore_class
    if wrong.any():
        raise ValueError(
            f"Expected class indices from 0 to {num_classes - 1}, one for each "
            "output of the network: relabel the data, or give the network more "
            "outputs. A label that marks missing ones is the `ignore_class` of "
            f"`Categorical`. Received: {targets[wrong].ravel()[:3].tolist()} among "
            f"{int(wrong.sum())} wrong labels")


def check_probabilities(targets):
    """Raises a `ValueError` if the last axis does not hold class probabilities."""
    targets = np.asarray(targets)
    targets = targets.astype("float32" if targets.dtype.itemsize < 8 else "float64")
    wrong = ~(np.abs(targets.sum(axis=-1) - 1.0) < _ROUNDING)
    wrong |= ~(targets >= 0).all(axis=-1)
    if wrong.any():
        raise ValueError(
            "Expected class probabilities on the last axis of the targets, such as "
            "one-hot rows: numbers of at least 0 whose sum is 1. Received: "
            f"{targets[wrong][0][:5].tolist()} among {int(wrong.sum())} wrong rows of "
            f"targets of shape {targets.shape}")


def quick_classes(targets, num_classes, ignore_class=None):
    """The same as a quick look inside a graph: a scalar bool.

    Args:
        targets: Tensor of labels.
        num_classes: Integer, number of classes.
        ignore_class: Integer, a label that is allowed too; `None` for none.
    """
    if targets.dtype.is_floating:
        right = (targets >= 0) & (targets < num_classes) & (
            tf.floor(targets) == targets)
    else:  # Without a sign, a negative number is a large one.
        right = tf.cast(targets, tf.uint64) < num_classes
    if ignore_class is not None:
        right |= tf.cast(targets, tf.float64) == float(ignore_class)
    return tf.reduce_all(right)


def quick_probabilities(targets):
    """Whether the last axis surely holds class probabilities: a scalar bool."""
    shares = tf.cast(targets, tf.float32)
    error = tf.abs(tf.reduce_sum(shares, axis=-1) - 1.0)
    return tf.reduce_all(error < _ROUNDING / 2.0) & tf.reduce_all(shares >= 0.0)


def quick_finite(targets):
    """Whether targets are finite as they are, and in the type of Keras."""
    return all_of([seem_finite(targets, keras.backend.floatx())])


def check_finite(targets):
    """Raises a `ValueError` if targets hold NaN or infinity."""
    targets = np.asarray(targets)
    if has_floats(targets) and not all_finite(targets, keras.backend.floatx()):
        right = np.abs(targets.astype("float64")) <= np.finfo(
            keras.backend.floatx()).max
        raise ValueError(
            "Expected finite targets: remove or replace the others. Received: "
            f"{int((~right).sum())} that are not finite in {keras.backend.floatx()}")


def check_axes(targets, output_shape, last):
    """Raises a `ValueError` that names the axis if targets have another shape.

    Args:
        targets: Array of targets.
        output_shape: Shape of the outputs, batch first; `None` for an open size.
        last: Tuple of sizes that the last axis may have; with 1 among them, it may
            also be left out.

    Returns:
        Size of the last axis, 1 if it is left out.
    """
    shape = tuple(np.shape(targets))
    places = tuple(output_shape[1:-1])
    while len(shape) > len(places) + 2 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) == len(places) + 1 and 1 in last:
        shape = (*shape, 1)
    allowed = " or ".join(
        _form((*places, size), size == 1) for size in sorted(set(last)))
    if len(shape) != len(places) + 2:
        raise ValueError(
            f"Expected targets of shape {allowed}: the outputs "
            f"{_form(output_shape[1:])} have {len(places)} axes of positions between "
            f"the batch and the last axis. Received: targets.shape={np.shape(targets)}")
    for axis, (size, wanted) in enumerate(zip(shape[1:-1], places), start=1):
        if wanted not in (None, size):
            raise ValueError(
                f"Expected targets of shape {allowed}: axis {axis} of the outputs has "
                f"{wanted} positions. Received: targets.shape={np.shape(targets)}, "
                f"with {size} on axis {axis}")
    if shape[-1] not in last:
        raise ValueError(
            f"Expected targets of shape {allowed}: {max(last)} target(s) at each "
            "position, on the last axis. Received: targets.shape="
            f"{np.shape(targets)}, with {shape[-1]} on the last axis")
    return shape[-1]


def _form(sizes, optional=False):
    """`[B, 7, 3]` as text; the last axis may be optional."""
    words = ["B", *("?" if size is None else str(size) for size in sizes)]
    whole = f"[{', '.join(words)}]"
    return f"[{', '.join(words[:-1])}] or {whole}" if optional else whole
