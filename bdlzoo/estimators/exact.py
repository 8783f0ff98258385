"""The mean loss itself, by enumeration of all codes.

    E_q[loss(z)] = sum over codes of q(code) loss(code)

There is no noise, and so neither bias nor variance. All rows share the codes, so that
each of the K**N codes is decoded once a step.
"""

import itertools

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.estimators.estimator import Estimator

_MOST = 2**16  # Codes that are enumerated.


@keras.saving.register_keras_serializable(package="bdlzoo")
class Exact(Estimator):
    """Sums the loss over all codes, which must be few.

    It has no arguments.

    Example:

        estimator = bdlzoo.estimators.Exact()
        loss = tf.reduce_mean(estimator(potentials, loss_of, key))
    """

    def __call__(self, potentials, loss, key=None, step=0, num_samples=1):
        codes, log_probs = enumerated(potentials)
        return tf.reduce_sum(tf.exp(log_probs) * loss(codes[:, None]), axis=0)


def enumerated(potentials):
    """All codes `[K**N, N, K]`, and their log-probabilities `[K**N, B]`."""
    codes = tf.constant(all_codes(*potentials.shape[-2:]), potentials.dtype)
    return codes, tf.einsum("mnk,bnk->mb", codes, tf.nn.log_softmax(potentials))


def all_codes(num_variables, num_values):
    """All codes as one-hot rows, `[K**N, N, K]`; the last variable changes fastest."""
    if num_values**num_variables > _MOST:
        raise ValueError(
            f"Expected at most {_MOST} codes to enumerate: use `DirectOptimization`, "
            f"which needs a few of them. Received: num_values={num_values}, "
            f"num_variables={num_variables}")
    values = list(itertools.product(range(num_values), repeat=num_variables))
    return np.eye(num_values, dtype="float32")[np.array(values)]
