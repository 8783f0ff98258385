"""Base class of estimators of the gradient through draws of discrete codes.

    d E_q[loss(z)] / d potentials,    q(z) = prod over n of softmax(potentials_n)[z_n]

A code has N variables of K values each, as one-hot rows `[N, K]`. All estimators are
called alike. A step of a user's own:

    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(estimator(potentials, loss_of, key))

and `tape.gradient(loss, weights)` is the estimate for the weights of the potentials as
well as for those that `loss_of` reads.
"""

import keras
import tensorflow as tf

from bdlzoo.core import noise, registry

_Schedule = keras.optimizers.schedules.LearningRateSchedule


class Estimator:
    """Estimates the gradient of a mean loss over draws of discrete codes.

    It has no arguments. A subclass writes `__call__`.

    Call arguments:
        potentials: Tensor `[B, N, K]`, logits of the values of each variable.
        loss: Function from codes `[S, B, N, K]` to losses `[S, B]`. The codes are
            `[S, 1, N, K]` where all rows have the same ones.
        key: Key of the noise, as `bdlzoo.core.noise.key(seed)` makes it.
        step: Integer or scalar tensor, the step of training, for schedules.
        num_samples: Integer, draws that are averaged.

    Returns:
        Tensor `[B]`: the mean loss of the draws. Its gradient is the estimate.
    """

    is_relaxed = False  # Whether `loss` gets codes between the values.
    through_codes = False  # Whether the gradient flows through the codes of `loss`.

    def __call__(self, potentials, loss, key, step=0, num_samples=1):
        raise NotImplementedError

    def get_config(self):
        """Arguments of the constructor."""
        return {}

    @classmethod
    def from_config(cls, config):
        """Makes the estimator again from its config."""
        return cls(**config)


def perturbed(potentials, key, num_samples):
    """Potentials with Gumbel noise, `[S, B, N, K]`: their largest values are draws."""
    shape = tf.concat([[num_samples], tf.shape(potentials)], axis=0)
    found = potentials + noise.gumbel(shape, key)
    return tf.ensure_shape(found, [None, *potentials.shape])


def hardened(potentials):
    """One-hot codes of the largest potentials."""
    return tf.one_hot(tf.argmax(potentials, axis=-1), potentials.shape[-1],
                      dtype=potentials.dtype)


def with_gradient(values, potentials, slopes):
    """Values `[B]` unchanged, with given slopes `[B, N, K]` in the potentials."""
    moved = tf.stop_gradient(slopes) * (potentials - tf.stop_gradient(potentials))
    return values + tf.reduce_sum(moved, axis=[-2, -1])


def schedule_or_number(name, value, accepts, expected):
    """A schedule, built where it is a spec, or a number that was checked.

    Args:
        name: Name of the argument, for the error.
        value: Number, schedule or spec of a schedule.
        accepts: Function from a number to whether it is allowed.
        expected: Words on what is allowed, for the error.
    """
    value = registry.build(value, keras.optimizers.schedules)
    if isinstance(value, _Schedule):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (
            not accepts(value)):
        raise ValueError(f"Expected {expected}, or a schedule such as "
                         f"`bdlzoo.ExponentialFall`. Received: {name}={value!r}")
    return value


def value_at(value, step):
    """The number, or what the schedule says at a step."""
    return tf.cast(value(step), tf.float32) if isinstance(value, _Schedule) else value


def saved(value):
    """A number or schedule as it is written into a config."""
    return keras.saving.serialize_keras_object(value) if isinstance(
        value, _Schedule) else value


def loaded(config, name):
    """A config whose number or schedule is an object again."""
    value = config[name]
    if isinstance(value, dict) and "class_name" in value:
        value = keras.saving.deserialize_keras_object(value)
    return {**config, name: value}
