"""Copies of a layer compute what the layer would with the weights of each."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise, stacking

KEY = noise.key(0, noise.INITIAL)
IMAGES, ROWS, SERIES = (2, 6, 6, 3), (4, 5), (2, 7, 3)


def _stack(layer, shape, copies=3):
    if not layer.built:
        layer.build((None, *shape[1:]))
    return stacking.stack(layer, copies, KEY)


def _alone(layer, stack, inputs, copy, **kwargs):
    """What a plain layer of the same config gives with the weights of a copy."""
    twin = type(layer).from_config(layer.get_config())
    twin.build((None, *inputs.shape[2:]))
    twin.set_weights(stack.get_copy(copy))
    return twin, twin(inputs[copy if inputs.shape[0] > 1 else 0], **kwargs)


@pytest.mark.parametrize("layer, shape", [
    (keras.layers.Dense(4, activation="relu"), ROWS),
    (keras.layers.Dense(4, use_bias=False), SERIES),
    (keras.layers.Conv2D(4, 3, padding="same", activation="tanh"), IMAGES),
    (keras.layers.Conv1D(4, 3, padding="causal"), SERIES),
    (keras.layers.DepthwiseConv2D(3), IMAGES),
    (keras.layers.LayerNormalization(), SERIES),
    (keras.layers.LayerNormalization(axis=[1, 2]), SERIES),
    (keras.layers.BatchNormalization(), IMAGES),
    (keras.layers.BatchNormalization(axis=1), IMAGES),
    (keras.layers.GRU(4), SERIES),
    (keras.layers.PReLU(), ROWS),
], ids=lambda value: getattr(value, "name", str(value)))
@pytest.mark.parametrize("shared", [True, False])
def test_a_copy_is_the_layer_with_its_weights(layer, shape, shared):
    stack = _stack(layer, shape)
    inputs = noise.normal((1 if shared else 3, *shape), KEY)
    outputs = stack(inputs)
    for copy in range(3):
        _, expected = _alone(layer, stack, inputs, copy)
        np.testing.assert_allclose(outputs[copy], expected, atol=1e-5)


def test_tables_of_embeddings_are_those_of_their_copy():
    layer = keras.layers.Embedding(6, 2)
    stack = _stack(layer, ROWS)
    rows = np.array([[[0, 5, 3]], [[1, 1, 2]], [[4, 0, 0]]])
    outputs = stack(tf.constant(rows))
    for copy in range(3):
        [table] = stack.get_copy(copy)
        np.testing.assert_array_equal(outputs[copy], table[rows[copy]])


def test_weights_of_one_copy_do_not_touch_another():
    """T1.3: the loss of copy m has no gradient in the weights of others."""
    stack = _stack(keras.layers.Dense(4, activation="tanh"), ROWS)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(stack(noise.normal((3, *ROWS), KEY))[1] ** 2)
    for gradient in tape.gradient(loss, stack.trainable_variables):
        touched = np.any(gradient.numpy().reshape(3, -1), axis=1)
        np.testing.assert_array_equal(touched, [False, True, False])


def test_copies_start_apart_and_from_the_seed_alone():
    layer = keras.layers.Dense(50, kernel_initializer=(
        keras.initializers.RandomNormal(0.0, 0.5, seed=7)))
    stack = _stack(layer, (1, 200))
    kernels = np.stack([stack.get_copy(copy)[0] for copy in range(3)])
    # The initialiser's own law, and a fixed seed of its does not tie copies.
    np.testing.assert_allclose(kernels.std(axis=(1, 2)), 0.5, rtol=0.03)
    flat = kernels.reshape(3, -1)
    assert np.abs(np.corrcoef(flat) - np.eye(3)).max() < 0.05
    again = _stack(layer, (1, 200))
    np.testing.assert_array_equal(kernels[2], again.get_copy(2)[0])
    np.testing.assert_array_equal(  # More copies begin with the same.
        stacking.stack(layer, 5, KEY).get_copy(2)[0], kernels[2])


@pytest.mark.parametrize("axis", [-1, 1], ids=["batched", "loop"])
def test_statistics_are_those_of_the_rows_of_a_copy(axis):
    layer = keras.layers.BatchNormalization(axis=axis, momentum=0.8)
    stack = _stack(layer, (8, 4, 4))
    inputs = noise.normal((3, 8, 4, 4), KEY) + tf.reshape(
        tf.constant([0.0, 5.0, -3.0]), [3, 1, 1, 1])
    starts = [stack.get_copy(copy) for copy in range(3)]
    outputs = stack(inputs, training=True)
    for copy in range(3):
        twin = keras.layers.BatchNormalization(axis=axis, momentum=0.8)
        twin.build((None, 4, 4))
        twin.set_weights(starts[copy])
        np.testing.assert_allclose(
            outputs[copy], twin(inputs[copy], training=True), atol=1e-5)
        for mine, other in zip(stack.get_copy(copy), twin.get_weights(),
                               strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-5)


def test_masked_statistics_leave_the_masked_places_out():
    layer = keras.layers.BatchNormalization()
    stack = _stack(layer, (2, 4, 3))
    inputs = noise.normal((3, 2, 4, 3), KEY)
    mask = tf.constant([[[True, True, False, False]] * 2] * 3)
    outputs = stack(inputs, training=True, mask=mask)
    far = tf.where(mask[..., None], inputs, 100.0)
    again = stack(far, training=True, mask=mask)
    np.testing.assert_allclose(outputs[:, :, :2], again[:, :, :2], atol=1e-5)


def test_layers_without_weights_see_rows():
    outputs = stacking.stack(keras.layers.Flatten(), 3, KEY)(
        tf.reshape(tf.range(3 * 2 * 4.0), [3, 2, 2, 2]))
    assert outputs.shape == (3, 2, 4)
    add = stacking.stack(keras.layers.Add(), 3, KEY)
    total = add([tf.ones([1, 2, 4]), tf.zeros([3, 2, 4])])  # Shared and own.
    np.testing.assert_array_equal(total, np.ones([3, 2, 4]))


def test_noise_differs_between_copies():
    class Drop(keras.layers.Layer):
        """A layer that hides its noise beside a weight."""

        def build(self, shape):
            self.gain = self.add_weight(shape=(), initializer="ones", name="gain")

        def call(self, inputs):
            return self.gain * inputs * noise.normal(
                inputs.shape, noise.current().key)

    stack = _stack(Drop(), ROWS)
    with noise.draws(KEY):
        outputs = stack(tf.ones((1, *ROWS))).numpy()
    assert np.abs(outputs[0] - outputs[1]).min() > 0


def test_regularizers_and_constraints_are_of_each_copy():
    layer = keras.layers.Dense(
        4, kernel_regularizer=keras.regularizers.L2(0.1),
        kernel_constraint=keras.constraints.MaxNorm(0.5, axis=0))
    stack = _stack(layer, ROWS)
    kernels = np.stack([stack.get_copy(copy)[0] for copy in range(3)])
    np.testing.assert_allclose(  # The mean over copies, as the loss is.
        sum(stack.losses), 0.1 * (kernels**2).sum() / 3, rtol=1e-5)
    kernel = stack.parts[0]
    kernel.assign(kernel.constraint(10.0 * kernel.value))
    norms = np.sqrt((kernel.numpy() ** 2).sum(axis=1))
    np.testing.assert_allclose(norms, 0.5, rtol=1e-4)


def test_layers_that_are_frozen_stay_so():
    layer = keras.layers.Dense(4)
    layer.build((None, 5))
    layer.trainable = False
    assert not stacking.stack(layer, 2, KEY).trainable_variables


def test_mixed_precision_keeps_weights_and_statistics_in_full():
    for layer in (keras.layers.Dense(4, dtype="mixed_bfloat16"),
                  keras.layers.BatchNormalization(dtype="mixed_bfloat16")):
        stack = _stack(layer, ROWS)
        outputs = stack(noise.normal((3, *ROWS), KEY), training=True) if (
            "batch" in layer.name) else stack(noise.normal((3, *ROWS), KEY))
        assert outputs.dtype == tf.bfloat16
        assert {w.dtype for w in stack.weights} == {"float32"}
        if "batch" in layer.name:  # Not rounded on the way.
            means = stack.get_copy(0)[2]
            assert (means != means.astype(tf.bfloat16.as_numpy_dtype)).any()


@pytest.mark.parametrize("optimizer", [
    keras.optimizers.Adam(global_clipnorm=1.0), keras.optimizers.SGD(clipnorm=1.0),
    keras.optimizers.Lamb(), keras.optimizers.Adafactor()],
    ids=lambda o: type(o).__name__)
def test_optimisers_that_mix_copies_are_refused(optimizer):
    with pytest.raises(ValueError, match="element by element"):
        stacking.check_optimizer(optimizer)
    stacking.check_optimizer(keras.optimizers.AdamW(clipvalue=1.0))


def test_divergences_of_copies_are_summed():
    class Random(keras.layers.Dense):
        def kl(self):
            return tf.reduce_sum(tf.convert_to_tensor(self.kernel))

    stack = _stack(Random(3), ROWS)
    expected = sum(stack.get_copy(copy)[0].sum() for copy in range(3))
    np.testing.assert_allclose(stack.kl(), expected, rtol=1e-5)
