"""Worlds: one batch a step, made with the weights of that step."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import strategies
from bdlzoo.data import Experience
from tests.model.toy_models import Bandit, Policy, assert_equal, compiled, weights


def _policy():
    model = compiled(Policy, keras.optimizers.SGD(0.5, momentum=0.5))
    model.build((None, 3))
    return model


def _by_hand(steps):
    """The same training without the engine, and its world."""
    world, logits = Bandit(steps), tf.Variable(tf.zeros(3))
    speed, seen = np.zeros(3, "float32"), []
    for step in range(steps):
        x, y = world.play(logits, 5, step)
        with tf.GradientTape() as tape:
            gain = y * tf.reduce_sum(x * tf.nn.log_softmax(logits), axis=-1)
            loss = -tf.reduce_mean(gain)
        speed = 0.5 * speed - 0.5 * tape.gradient(loss, logits)
        logits.assign_add(speed)
        seen.append(logits.numpy())
    return world, seen


def test_each_batch_is_made_with_the_weights_of_its_step():
    world, model = Bandit(6), _policy()
    model.fit(world, epochs=5, verbose=0)
    expected, seen = _by_hand(30)
    assert world.arms == expected.arms and len(set(world.arms[2:])) > 1
    np.testing.assert_allclose(model.logits.numpy(), seen[-1], atol=1e-6)


def test_nothing_is_collected_ahead_or_after_the_end():
    seen = []

    class Watched(Bandit):
        def collect(self, model, step):
            seen.append((step, int(model.optimizer.iterations)))
            return super().collect(model, step)

    world, model = Watched(4), _policy()
    model.fit(world, epochs=3, verbose=0)
    assert seen == [(step, step) for step in range(12)]
    assert int(model.optimizer.iterations) == 12


@pytest.mark.parametrize("steps", [None, 2])
def test_epoch_has_as_many_steps_as_the_world_or_fit_says(steps):
    model = _policy()
    history = model.fit(Bandit(4), epochs=2, steps_per_epoch=steps, verbose=0)
    assert int(model.optimizer.iterations) == 2 * (steps or 4)
    assert len(history.history["loss"]) == 2


@pytest.mark.parametrize("validated", [False, True])
def test_resumed_training_is_equal_to_the_last_bit(tmp_path, validated):
    held_out = np.eye(3, dtype="float32"), np.ones(3, "float32")
    options = {"verbose": 0, "validation_data": held_out if validated else None}
    world, whole = Bandit(5), _policy()
    whole.fit(world, epochs=4, **options)
    _policy().fit(Bandit(5), epochs=2, checkpoint_dir=tmp_path, **options)
    again, resumed = Bandit(5), _policy()
    resumed.fit(again, epochs=4, checkpoint_dir=tmp_path, **options)
    assert_equal(weights(whole), weights(resumed))
    assert (again.arms, again.steps) == (world.arms, world.steps)


def test_training_that_is_killed_between_epochs_goes_on_from_the_last_one(tmp_path):
    class Killed(Bandit):
        def collect(self, model, step):
            if step == 7:
                raise KeyboardInterrupt
            return super().collect(model, step)

    with pytest.raises(KeyboardInterrupt):
        _policy().fit(Killed(5), epochs=3, verbose=0, checkpoint_dir=tmp_path)
    world, whole, again, resumed = Bandit(5), _policy(), Bandit(5), _policy()
    whole.fit(world, epochs=3, verbose=0)
    resumed.fit(again, epochs=3, verbose=0, checkpoint_dir=tmp_path)
    assert_equal(weights(whole), weights(resumed))
    assert again.arms == world.arms


def test_finished_training_leaves_the_world_as_it_is(tmp_path):
    world = Bandit(3)
    _policy().fit(world, epochs=2, verbose=0, checkpoint_dir=tmp_path)
    again = Bandit(3)
    _policy().fit(again, epochs=2, verbose=0, checkpoint_dir=tmp_path)
    assert (again.arms, again.steps) == (world.arms, world.steps)


def test_evaluation_and_validation_do_not_disturb_it():
    held_out = np.eye(3, dtype="float32"), np.ones(3, "float32")
    plain, plain_world, model, world = _policy(), Bandit(4), _policy(), Bandit(4)
    plain.fit(plain_world, epochs=2, verbose=0)
    model.evaluate(*held_out, verbose=0)
    history = model.fit(world, epochs=2, verbose=0, validation_data=held_out).history
    model.evaluate(*held_out, verbose=0)
    assert_equal(weights(plain), weights(model))
    assert world.arms == plain_world.arms and len(history["val_loss"]) == 2


@pytest.mark.parametrize("told", [None, 4])
def test_steps_are_one_by_one_whatever_was_trained_or_told_before(told):
    model, expected = _policy(), _policy()
    model.compile(keras.optimizers.SGD(0.5), steps_per_execution=told)
    model.fit(np.eye(3, dtype="float32"), np.zeros(3, "float32"), batch_size=1,
              steps_per_epoch=4, verbose=0)  # A gradient of zero.
    assert model.steps_per_execution == 4
    expected.compile(keras.optimizers.SGD(0.5))
    world, same = Bandit(4), Bandit(4)
    model.fit(world, verbose=0, epochs=3)
    expected.fit(same, verbose=0, epochs=3)
    assert model.steps_per_execution == 1 and world.arms == same.arms
    np.testing.assert_array_equal(model.logits, expected.logits)


def test_world_without_memory_has_no_state(tmp_path):
    class Still(Experience):
        def collect(self, model, step):
            return np.eye(3, dtype="float32"), np.full(3, step, "float32")

    model = _policy()
    model.fit(Still(2), verbose=0, checkpoint_dir=tmp_path)
    model.fit(Still(2), epochs=2, verbose=0, checkpoint_dir=tmp_path)
    assert int(model.optimizer.iterations) == 4
    with pytest.raises(NotImplementedError):
        Experience(1).collect(model, 0)


def test_checkpoint_of_a_training_on_arrays_is_no_world(tmp_path):
    x, y = np.eye(3, dtype="float32"), np.ones(3, "float32")
    _policy().fit(x, y, verbose=0, checkpoint_dir=tmp_path)
    with pytest.raises(ValueError, match="whole checkpoint of this model"):
        _policy().fit(Bandit(2), epochs=2, verbose=0, checkpoint_dir=tmp_path)


def test_world_that_cannot_serve_is_refused():
    for steps in (0, 2.5):
        with pytest.raises(ValueError, match=f"steps_per_epoch={steps}"):
            Bandit(steps)
    with pytest.raises(ValueError, match="built model"):
        compiled(Policy).fit(Bandit(2))
    with pytest.raises(ValueError, match="class_weight"):
        _policy().fit(Bandit(2), class_weight={0: 1.0})
    with pytest.raises(ValueError, match="arrays to split"):
        _policy().fit(Bandit(2), validation_split=0.5)
    with strategies.make("mirrored").scope():
        model = _policy()
    with pytest.raises(ValueError, match="outside of strategies.*Mirrored"):
        model.fit(Bandit(2))
