"""Layers for many networks at once, whose weights have a leading axis of copies.

    outputs[m] = layer(inputs[m]; weights[m]),    inputs [M, B, ...]

Copies are members of an ensemble, chains, splits or points of a grid. Inputs are
`[1, B, ...]` if all copies have the same. Layers of Keras without weights get one batch
of `M * B` rows. Layers with a batched form (`Dense`, `Embedding`, normalisation) are
one operation. All others, such as convolutions and custom layers, however nested, run
once for each copy in one graph: on a CPU a grouped convolution has no gradient, and a
batched one is not faster.

Each copy has its own initial weights. What does not train keeps its values: frozen
layers, and statistics that a layer was adapted to.

An optimiser that works element by element trains each copy as if it were alone. One
that uses norms of whole weights does not, and `check_optimizer` refuses it.
"""

import contextlib
import inspect

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import initial_weights, noise

_BY_NORM = (keras.optimizers.Lamb, keras.optimizers.Adafactor,
            keras.optimizers.Muon)


def stack(layer, copies, key, build=None):
    """Makes copies of a built layer, each with its own initial weights.

    Args:
        layer: Layer, network or operation of Keras. It is not changed, and its weights
            are used only where they do not train.
        copies: Integer, number of copies.
        key: Noise key of the initial weights.
        build: Function that builds a layer of the same config by calling it; `None`
            builds it from the shapes that `layer` was built with.

    Returns:
        Callable on `[M, B, ...]`, which is a `Stacked` layer if there are weights.
    """
    if not getattr(layer, "weights", None):
        return Folded(layer)
    # A subclass may use its weights differently.
    form = _FORMS.get(type(layer), Stacked)
    if hasattr(layer, "kl"):
        form = StackedVariational
    return (form if form.fits(layer) else Stacked)(layer, copies, key, build)


def check_optimizer(optimizer):
    """Raises a `ValueError` if an optimiser would mix the copies."""
    clipped = [name for name in ("clipnorm", "global_clipnorm")
               if getattr(optimizer, name, None)]
    if clipped or isinstance(optimizer, _BY_NORM):
        raise ValueError(
            "Expected an optimiser that works element by element, such as SGD or Adam "
            "with `clipvalue`, because a norm would be that of all copies together. "
            f"Received: {type(optimizer).__name__}"
            + "".join(f" with {name}={getattr(optimizer, name)}"
                      for name in clipped))


def fold(tensor):
    """`[M, B, ...]` as one batch `[M * B, ...]`."""
    return tf.reshape(tensor, [-1, *_sizes(tensor, 2)])


def unfold(tensor, copies):
    """One batch `[M * B, ...]` as `[M, B, ...]`, the inverse of `fold`."""
    return tf.reshape(tensor, [copies, -1, *_sizes(tensor, 1)])


def _sizes(tensor, first):
    """Sizes of the axes from `first` on, as integers if they are known."""
    return [tf.shape(tensor)[axis] if size is None else size
            for axis, size in enumerate(tensor.shape)][first:]


def spread(tensor, copies):
    """Repeats a tensor `[1, B, ...]` that all copies share to `[M, B, ...]`."""
    if tensor.shape[0] == copies:
        return tensor
    return tf.repeat(tensor, copies, axis=0)


def noise_of(copy):
    """Scope in which a copy has its own noise, if there is noise."""
    draw = noise.current()
    if draw is None:
        return contextlib.nullcontext()
    return noise.draws(noise.fold_in(draw.key, copy), *draw[1:])


class Folded:
    """Runs a layer without weights on the rows of all copies as one batch.

    Args:
        layer: Layer or operation of Keras without weights.
    """

    def __init__(self, layer):
        self.layer = layer

    def __call__(self, *args, **kwargs):
        parts = [t for t in tf.nest.flatten((args, kwargs)) if tf.is_tensor(t)]
        copies = max(t.shape[0] for t in parts)

        def rows(value):
            return fold(spread(value, copies)) if tf.is_tensor(value) else value

        args, kwargs = tf.nest.map_structure(rows, (args, kwargs))
        outputs = self.layer(*args, **kwargs)
        return tf.nest.map_structure(lambda t: unfold(t, copies), outputs)


class Stacked(keras.layers.Layer):
    """Holds the weights of all copies of a layer, and runs one copy after the other.

    Args:
        layer: Built layer of Keras, the template of the copies.
        copies: Integer, number of copies.
        key: Noise key of the initial weights.
        build: Function that builds a layer of the same config, or `None`.
    """

    casts = False  # Whether weights are cast in mixed precision; the layer does it.

    def __init__(self, layer, copies, key, build=None):
        super().__init__(name=layer.name, dtype=layer.dtype_policy)
        self.copies = copies
        self._plain = Untracked(layer)
        with tf.init_scope():
            initial = [initial_weights.fresh(layer, copy_key, build)
                       for copy_key in tf.unstack(noise.split(key, copies))]
        self.parts = [self._add_copies(weight, np.stack(values)) for weight, *values
                      in zip(layer.weights, *initial, strict=True)]
        self.built = True

    @staticmethod
    def fits(layer):
        """Whether this form can replace the layer."""
        del layer
        return True

    @property
    def layer(self):
        return self._plain.value

    @property
    def apart(self):
        """Whether copies run one by one, so that stacked inputs are of no use."""
        return type(self) is Stacked

    def call(self, *args, training=False, **kwargs):
        if "training" in inspect.signature(self.layer.call).parameters:
            kwargs["training"] = training
        outputs, states = [], []
        for copy in range(self.copies):
            with noise_of(copy):
                output, state = self.run_copy(copy, *tf.nest.map_structure(
                    lambda value: self._of_copy(value, copy), (args, kwargs)))
            outputs.append(output)
            states.append(state)
        if training:
            self.keep(states)
        return tf.nest.map_structure(lambda *each: tf.stack(each), *outputs)

    def run_copy(self, copy, args, kwargs):
        """Runs one copy on inputs of its own, which may have masks of Keras.

        Returns:
            Outputs, and new values of the variables that do not train.
        """
        with keras.StatelessScope(state_mapping=self._mapping(copy)) as scope:
            outputs = self.layer(*args, **kwargs)
        return outputs, [scope.get_current_value(variable) for variable
                         in self.layer.non_trainable_variables]

    def keep(self, states):
        """Stores the statistics of batches, which a training step changes.

        Args:
            states: What `run_copy` returned, for each copy.
        """
        part_of = {id(weight): part for weight, part
                   in zip(self.layer.weights, self.parts, strict=True)}
        for variable, *values in zip(self.layer.non_trainable_variables, *states):
            if id(variable) in part_of and None not in values:
                part_of[id(variable)].assign(tf.stack(values))

    def get_copy(self, copy):
        """Weights of one copy, in the order of the layer's own."""
        return [keras.ops.convert_to_numpy(part)[copy] for part in self.parts]

    def set_copy(self, copy, values):
        """Replaces the weights of one copy."""
        for part, value in zip(self.parts, values, strict=True):
            stacked = keras.ops.convert_to_numpy(part).copy()
            stacked[copy] = value
            part.assign(stacked)

    def _add_copies(self, weight, initial):
        return self.add_weight(
            name=weight.name, shape=initial.shape, dtype=weight.dtype,
            initializer=lambda shape, dtype: tf.constant(initial, dtype),
            trainable=weight.trainable, autocast=self.casts,
            aggregation=weight.aggregation,
            regularizer=weight.regularizer and _MeanOverCopies(weight.regularizer),
            constraint=weight.constraint and _EachCopy(weight.constraint))

    def _of_copy(self, value, copy):
        if not tf.is_tensor(value):
            return value
        return value[copy if value.shape[0] == self.copies else 0]

    def _mapping(self, copy):
        """Pairs of a weight of the layer and its value in a copy."""
        return [(weight, tf.convert_to_tensor(part)[copy]) for weight, part
                in zip(self.layer.weights, self.parts, strict=True)]


class StackedVariational(Stacked):
    """Stacks layers with a KL divergence from their prior, which is added up."""

    def kl(self):
        """KL divergence in nats, added up over copies."""
        return tf.add_n([self._of_layer(copy, self.layer.kl)
                         for copy in range(self.copies)])

    def kernel_scale(self):
        """Standard deviations of the kernels of all copies, `[M, ...]`."""
        return tf.stack([self._of_layer(copy, self.layer.kernel_scale)
                         for copy in range(self.copies)])

    def _of_layer(self, copy, method):
        with keras.StatelessScope(state_mapping=self._mapping(copy)), noise_of(copy):
            return method()


class StackedDense(Stacked):
    """Stacks dense layers, as one product of stacked matrices."""

    casts = True

    @staticmethod
    def fits(layer):
        return not layer.lora_enabled

    def call(self, inputs):
        kernel, *bias = self.parts
        rows = tf.reshape(inputs, [inputs.shape[0], -1, inputs.shape[-1]])
        outputs = tf.matmul(rows, tf.convert_to_tensor(kernel))
        if bias:
            outputs += bias[0][:, None]
        if inputs.shape.rank > 3:
            outputs = tf.reshape(outputs, [self.copies, *_sizes(inputs, 1)[:-1],
                                           self.layer.units])
        return self.layer.activation(outputs)


class StackedEmbedding(Stacked):
    """Stacks embeddings, as one look-up in stacked tables."""

    casts = True

    @staticmethod
    def fits(layer):
        return not layer.lora_enabled

    def call(self, inputs):
        [tables] = self.parts
        rows = spread(tf.cast(inputs, tf.int32), self.copies)
        return tf.gather(tf.convert_to_tensor(tables), rows, batch_dims=1)


class StackedBatchNormalization(Stacked):
    """Stacks batch normalisations, each with the statistics of its own rows."""

    @staticmethod
    def fits(layer):
        last = layer.axis in (-1, layer.input_spec.ndim - 1)
        return last and not layer.synchronized and not layer.renorm

    def call(self, inputs, training=False, mask=None):
        if mask is not None:
            return super().call(inputs, training=training, mask=mask)
        parts = {part.name: part for part in self.parts}
        wide = tf.cast(inputs, tf.float32)
        middle = range(1, inputs.shape.rank - 1)
        moving = [parts["moving_mean"], parts["moving_variance"]]
        if training and self.layer.trainable:
            now = tf.nn.moments(wide, list(middle))  # [M, C], or [1, C].
            for old, new in zip(moving, now):
                share = self.layer.momentum
                old.assign(share * old + (1.0 - share) * new)
        else:
            now = moving
        mean, variance = (_between(t, middle) for t in now)
        outputs = (wide - mean) * tf.math.rsqrt(variance + self.layer.epsilon)
        return tf.cast(_affine(outputs, parts, middle), self.compute_dtype)


class StackedLayerNormalization(Stacked):
    """Stacks layer normalisations of the last axis, each with its own scales."""

    @staticmethod
    def fits(layer):
        return layer.axis in (-1, [-1]) and not layer.rms_scaling

    def call(self, inputs):
        parts = {part.name: part for part in self.parts}
        wide = tf.cast(inputs, tf.float32)
        mean, variance = tf.nn.moments(wide, [-1], keepdims=True)
        outputs = (wide - mean) * tf.math.rsqrt(variance + self.layer.epsilon)
        outputs = _affine(outputs, parts, range(1, inputs.shape.rank - 1))
        return tf.cast(outputs, self.compute_dtype)


_FORMS = {keras.layers.Dense: StackedDense,
          keras.layers.Embedding: StackedEmbedding,
          keras.layers.BatchNormalization: StackedBatchNormalization,
          keras.layers.LayerNormalization: StackedLayerNormalization}


class Untracked:
    """Holds a value that Keras must not track, save or export."""

    def __init__(self, value):
        self.value = value


def _between(value, axes):
    """Adds axes of length one to `[M, C]`, for the rows and positions of a batch."""
    for axis in axes:
        value = tf.expand_dims(value, axis)
    return value


def _affine(outputs, parts, middle):
    """Applies the scale and the shift, if the layer has them."""
    if "gamma" in parts:
        outputs *= _between(tf.cast(parts["gamma"], tf.float32), middle)
    if "beta" in parts:
        outputs += _between(tf.cast(parts["beta"], tf.float32), middle)
    return outputs


class _MeanOverCopies(keras.regularizers.Regularizer):
    """Mean of a regularizer over the copies of a weight."""

    def __init__(self, regularizer):
        self.regularizer = regularizer

    def __call__(self, value):
        terms = [self.regularizer(part) for part in tf.unstack(value)]
        return tf.add_n(terms) / len(terms)


class _EachCopy(keras.constraints.Constraint):
    """A constraint on each copy of a weight."""

    def __init__(self, constraint):
        self.constraint = constraint

    def __call__(self, value):
        return tf.stack([self.constraint(part) for part in tf.unstack(value)])
