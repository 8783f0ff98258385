"""ODIN: an uncertainty score from a small input step and a high temperature.

    S(x)  = mean over draws of softmax(s(x) / temperature)
    x'    = x - epsilon / scale * sign(grad_x -log S_k(x)),    k = argmax S(x)
    score = log((1 - max S(x')) / max S(x'))

The step lowers the cross-entropy of the predicted class, so that confidence rises; it
rises more for inputs like those of training. Inputs are not clipped after the step.
The score ranks as `-max S(x')` does, but it is computed as log odds in float64. At a
temperature of 1000 all values of `S` are within a few thousandths of one over the
number of classes, and the score ranks as minus `s_max - mean(s)`; at a temperature of 1
`S` saturates.

For a model with draws, the gradient is that of the mean over coherent draws, and the
score uses the same draws. The temperature replaces a calibrated one.

Reference: Liang, Li and Srikant, Enhancing the Reliability of
Out-of-distribution Image Detection in Neural Networks, ICLR 2018.
"""

import weakref

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.core.batches import check_finite
from bdlzoo.evaluation.uncertainty_scores import log_odds
from bdlzoo.likelihoods.likelihood import ClassLikelihood
from bdlzoo.metrics import ranking
from bdlzoo.surgery import memory

GRID = np.linspace(0.0, 0.004, 21)  # For inputs in [0, 1].
_STEPS = weakref.WeakKeyDictionary()  # Compiled once for each model.


def odin_scores(model, x, epsilon=0.0014, temperature=1000.0, scale=None,
                num_samples=None, seed=0):
    """Scores inputs; the score is high for inputs unlike those of training.

    Args:
        model: `PredictiveModel` of classes whose network is differentiable.
        x: Array of inputs `[N, ...]`.
        epsilon: Float, length of the step, in units of raw inputs.
        temperature: Float above 0, by which the logits are divided.
        scale: Standard deviation by which the raw inputs were divided, a number or
            one for each channel; `None` if they were not divided.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws.

    Returns:
        Float64 array `[N]`.

    Example:

        scores = bdlzoo.evaluation.odin_scores(model, x, epsilon=0.0014)
    """
    stepped = perturbed(model, x, epsilon, temperature, scale, num_samples, seed)
    return log_odds(stepped[1])


def perturbed(model, x, epsilon=0.0014, temperature=1000.0, scale=None,
              num_samples=None, seed=0):
    """Computes the inputs after the step, and the log of their `S`.

    Args:
        model: `PredictiveModel` of classes whose network is differentiable.
        x: Array of inputs `[N, ...]`.
        epsilon: Float, length of the step, in units of raw inputs.
        temperature: Float above 0, by which the logits are divided.
        scale: Standard deviation by which the raw inputs were divided, a number or
            one for each channel; `None` if they were not divided.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws.

    Returns:
        Arrays `[N, ...]` and `[N, C]`, the second one in float64.
    """
    if not temperature > 0 or not 0 <= epsilon < float("inf"):
        raise ValueError(
            "Expected a positive temperature and a step of zero or more. "
            f"Received: temperature={temperature}, epsilon={epsilon}")
    x = np.asarray(x, "float32")
    count = model.num_samples if num_samples is None else num_samples
    _check(model, x, count, seed)
    scale = np.broadcast_to(1.0 if scale is None else scale, x.shape[-1:])
    if not (scale > 0).all():
        raise ValueError(f"Expected positive scales. Received: scale={scale}")
    if model not in _STEPS:
        _STEPS[model] = _compile(model, x.shape[1:])
    settings = [tf.constant(value, tf.float32)
                for value in (epsilon, temperature, scale)]
    settings += [tf.constant(count), noise.as_seed(seed)]
    rows = _rows_at_once(model.network, count)
    parts = [_STEPS[model](x[start:start + rows], *settings)
             for start in range(0, len(x), rows)]
    return tuple(np.concatenate(part) for part in zip(*parts))


def choose_epsilon(model, known, strange, grid=None, temperature=1000.0,
                   scale=None, num_samples=None, seed=0, verbose=0):
    """Chooses the step that separates known inputs best from those of another set.

    The criterion is the AUROC, which depends on all rows. The paper takes the false
    positives at 95 % accepted, which depend on few rows. Report results on other sets,
    and on other rows, than those of the choice.

    Args:
        model: `PredictiveModel` of classes whose network is differentiable.
        known: Inputs `[N, ...]` like those of training.
        strange: Inputs `[M, ...]` of another set.
        grid: Array of steps to try; `None` takes 21 steps from 0 to 0.004 of the range
            of the known inputs.
        temperature: Float above 0, by which the logits are divided.
        scale: Standard deviation by which the raw inputs were divided, a number or
            one for each channel; `None` if they were not divided.
        num_samples: Integer, number of draws; `None` takes that of the model.
        seed: Integer, seed of the draws.
        verbose: Integer, 1 shows a progress bar.

    Returns:
        Float, the best step of the grid; of several best ones the smallest.

    Example:

        epsilon = bdlzoo.evaluation.choose_epsilon(model, x_val, noise_images)
    """
    if grid is None:
        raw = np.asarray(known) * (1.0 if scale is None else scale)
        grid = GRID * np.ptp(raw)
    grid = np.unique(grid)
    if not grid.size:
        raise ValueError("Expected at least one step. Received: grid=[]")
    flags = np.repeat([0, 1], [len(known), len(strange)])
    bar, found = keras.utils.Progbar(len(grid), verbose=verbose), []
    for epsilon in grid:
        scores = [odin_scores(model, x, epsilon, temperature, scale, num_samples,
                              seed) for x in (known, strange)]
        found.append(ranking.auroc(np.concatenate(scores), flags))
        bar.add(1)
    return float(grid[np.argmax(found)])


def _compile(model, shape):
    """The step as a graph with tensors as settings, so that no value retraces it."""
    model = weakref.ref(model)

    def log_mean(x, temperature, num_samples, seed):
        draws = model().draw(x, num_samples, noise.key(seed, noise.PREDICT))
        # In float64 the gradient of a probability near one is not rounded to 0.
        draws = model().likelihood.prediction(tf.cast(draws, tf.float64)).log_probs
        draws = tf.nn.log_softmax(draws / tf.cast(temperature, tf.float64))
        return (tf.reduce_logsumexp(draws, axis=0)
                - tf.math.log(tf.cast(num_samples, tf.float64)))  # [B, C]

    @tf.function(input_signature=[
        tf.TensorSpec([None, *shape]), tf.TensorSpec([]), tf.TensorSpec([]),
        tf.TensorSpec(shape[-1:]), tf.TensorSpec([], tf.int32),
        tf.TensorSpec([2], tf.int64)])
    def step(x, epsilon, temperature, scale, num_samples, seed):
        with tf.GradientTape() as tape:
            tape.watch(x)
            log_probs = log_mean(x, temperature, num_samples, seed)
            labels = tf.argmax(log_probs, axis=-1)  # Fixed while `x` changes.
            # A sum and not a mean, which could make a gradient underflow.
            loss = -tf.reduce_sum(tf.gather(log_probs, labels, batch_dims=1))
        gradient = tape.gradient(loss, x)
        if gradient is None:
            raise ValueError(
                "Expected a network with a gradient in its inputs. Received: "
                f"network={model().network.name}, which has none")
        x = x - epsilon / scale * tf.sign(gradient)
        return x, log_mean(x, temperature, num_samples, seed)

    return step


def _rows_at_once(network, num_samples):
    """Number of rows whose activations, for all draws, fit in memory."""
    row_bytes, weight_bytes = memory.needs(network)
    left = max(memory.BUDGET - num_samples * weight_bytes, memory.BUDGET // 10)
    return max(1, left // (2 * num_samples * row_bytes))


def _check(model, x, num_samples, seed):
    if not isinstance(model.likelihood, ClassLikelihood):
        raise ValueError("Expected a model of classes. Received: likelihood="
                         f"{type(model.likelihood).__name__}")
    check_finite(x)
    draws = model.sample_outputs(x[:1], num_samples, seed)  # Checks all else.
    if len(draws.shape) != 3:
        raise ValueError("Expected one class per input. Received: outputs of shape "
                         f"{tuple(draws.shape[1:])}")
