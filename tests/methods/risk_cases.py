"""A small world whose plans can be counted, and exact gradients in it."""

import itertools

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.worlds import DeepSea


def world(**options):
    return DeepSea(**{"size": 3, "cost": 0.4, "treasure": 2.0, **options})


def tabular(kind, size=3, **options):
    """A compiled agent with a table of logits, which are not 0."""
    kernel = np.random.default_rng(0).normal(size=(size**2, 2))
    policy = keras.Sequential([
        keras.Input((size, size)), keras.layers.Flatten(),
        keras.layers.Dense(2, use_bias=False)])
    policy.layers[-1].set_weights([kernel])
    model = kind(policy, discount=1.0, seed=3, **options)
    model.compile(keras.optimizers.SGD(0.0))
    model.build((None, size, size))
    return model


def gradient(model, batch):
    """Descent direction of a batch, turned round: an estimate of the ascent."""
    if not hasattr(model, "slope"):
        @tf.function(reduce_retracing=True)
        def slope(x, y, weights):
            with tf.GradientTape() as tape:
                logs, _ = model.objective(x, y, weights, noise.key(0, noise.TRAIN))
            return -tape.gradient(logs["loss"], model.trainable_variables[0])

        model.slope = slope
    return model.slope(*map(tf.constant, batch)).numpy()


def plans(size=3):
    return np.array(list(itertools.product((0, 1), repeat=size)))


def exact(model, here, epsilon, seed=0):
    """Gradient of `1 / epsilon log E exp(epsilon R)`; epsilon 0 is `E R`."""
    every = plans(here.size)
    state, seen, total = here.start(np.full(len(every), seed)), [], 0.0
    for actions in every.T:
        seen.append(here.observe(state))
        step = here.step(state, actions)
        state, total = step.state, total + step.rewards
    total = tf.constant(total, tf.float32)
    with tf.GradientTape() as tape:
        logs = tf.add_n([tf.gather(
            tf.nn.log_softmax(model.logits(tf.constant(rows))), actions, batch_dims=1)
            for rows, actions in zip(seen, every.T)])
        goal = tf.reduce_sum(tf.exp(logs) * total) if not epsilon else (
            tf.reduce_logsumexp(logs + epsilon * total) / epsilon)
    [kernel] = model.trainable_variables
    return tape.gradient(goal, kernel).numpy()


def check_mean(model, acting, expected, batches=40, least=6.0):
    """The mean of estimates is the gradient, within what their number allows."""
    found = np.stack([gradient(model, model.collect(acting, step))
                      for step in range(batches)])
    error = found.std(axis=0) / np.sqrt(batches)
    gap = found.mean(axis=0) - expected
    assert (np.abs(gap) <= 4.5 * error + 1e-6).all(), gap / (error + 1e-9)
    # And it could be seen if it were another one.
    assert np.linalg.norm(expected) > least * np.linalg.norm(error) / 2
