"""Diagnostics of chains: have they mixed? Computed from predictions, not weights.

    r_hat           root of the variance of all chains together by the mean
                    variance within one, each chain cut in halves; 1 when mixed
    effective_size  samples / (1 + 2 sum over lags of the autocorrelation), of
                    all chains together
    noise_ratio     variance of a step due to the choice of the batch, divided by the
                    variance of the noise that the sampler adds: for SGLD
                    (e / 4) Var(grad U), with e = 2 h / num_data

Units of a layer may change places without a change of the function, so that traces
of weights say little. For classes the diagnostics follow the probability of the class
that is most probable on average, and for numbers each mean.

References: Brooks and Gelman, General Methods for Monitoring Convergence of
Iterative Simulations, 1998; Vehtari et al., Rank-Normalization, Folding, and
Localization: An Improved R-hat, Bayesian Analysis, 2021.
"""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from bdlzoo.core import noise
from bdlzoo.core.batches import num_rows
from bdlzoo.methods import PreconditionedSGLD

_LEAST = 4  # Samples of a chain: two in each half.


def diagnose(model, x, batch_size=100):
    """R-hat and effective sample size of the predictions of a sampler.

    Args:
        model: `ChainModel` with samples.
        x: Inputs `[B, ...]`.
        batch_size: Integer, inputs in one computation.

    Returns:
        Dict. `effective_size`, array `[B]` (for numbers `[B, D]`), and the floats
        `effective_size_mean` and `effective_size_worst`; the same of `r_hat` where
        there are two chains or more. Where nothing varies there is a NaN, which
        the floats leave out.

    Example:

        bdlzoo.evaluation.diagnose(sampler, x_val)["r_hat_worst"]
    """
    values = predictions(model, x, batch_size)
    found = {"effective_size": effective_size(values)}
    if values.shape[1] > 1:
        found["r_hat"] = r_hat(values)
    worst = {"effective_size": np.nanmin, "r_hat": np.nanmax}
    return {**found,
            **{f"{name}_mean": float(np.nanmean(each))
               for name, each in found.items()},
            **{f"{name}_worst": float(worst[name](each))
               for name, each in found.items()}}


def predictions(model, x, batch_size=100):
    """Predictions of each kept sample.

    Args:
        model: `ChainModel` with samples.
        x: Inputs `[B, ...]`.
        batch_size: Integer, inputs in one computation.

    Returns:
        Array `[n, chains, B]`, for numbers `[n, chains, B, D]`, in the order of
        time.
    """
    def followed(outputs):
        prediction = model.member_likelihood.prediction(outputs)
        if not hasattr(prediction, "log_probs"):
            return prediction.means
        return tf.gather(tf.exp(prediction.log_probs), tf.broadcast_to(
            prediction.label, tf.shape(outputs)[:-1]),
            axis=-1, batch_dims=outputs.shape.rank - 1)

    return _of_samples(model, followed, batch_size, x)


def log_likelihoods(model, x, y, batch_size=100):
    """Log-probability of each target under each kept sample.

    Args:
        model: `ChainModel` with samples.
        x: Inputs `[B, ...]`.
        y: Targets of them.
        batch_size: Integer, inputs in one computation.

    Returns:
        Array `[n, chains, B]`, in the order of time.
    """
    model.check_data(x, y)
    return _of_samples(
        model, lambda outputs, targets: model.member_likelihood.log_prob(
            targets, outputs), batch_size, x, y)


def _of_samples(model, read, batch_size, x, *targets):
    """What `read` makes of the outputs `[n * chains, B, ...]` of kept samples.

    Args:
        model: `ChainModel` with samples.
        read: Function of outputs, and of their targets if there are some.
        batch_size: Integer, inputs in one computation.
        x: Inputs.
        *targets: Targets of them, or nothing.

    Returns:
        Array `[n, chains, B, ...]`.
    """
    model.check_ready()
    samples = model.kept_samples()  # [n, M, D]
    count = samples.shape[0] * samples.shape[1]
    vectors = tf.reshape(samples, [count, -1])

    @tf.function(reduce_retracing=True)
    def of_batch(rows, *targets):
        outputs = model.flat.outputs(
            lambda places: tf.gather(vectors, places), count, rows)
        return read(outputs, *targets)

    parts = [of_batch(*tf.nest.map_structure(
        lambda part: tf.convert_to_tensor(part[start:start + batch_size]),
        (x, *targets))) for start in range(0, num_rows(x), batch_size)]
    values = np.concatenate(parts, axis=1)
    return values.reshape(*samples.shape[:2], *values.shape[1:])


def r_hat(values):
    """Potential scale reduction of each prediction.

    Args:
        values: Array `[n, chains, ...]`, see `predictions`.

    Returns:
        Array `[...]`; infinite where chains stand still at different places.

    Example:

        chains = bdlzoo.evaluation.chain_diagnostics.predictions(sampler, x_val)
        bdlzoo.evaluation.r_hat(chains)
    """
    _check_samples(values)
    if values.shape[1] < 2:
        raise ValueError("Expected two chains or more to compare: make the model with "
                         f"a larger `num_chains`. Received: {values.shape[1]} chain")
    ratio = tfp.mcmc.potential_scale_reduction(
        _doubles(values), independent_chain_ndims=1, split_chains=True)
    return np.sqrt(ratio)


def effective_size(values):
    """Independent samples that would give means as exact as these do.

    Args:
        values: Array `[n, chains, ...]`, see `predictions`.

    Returns:
        Array `[...]`, of all chains together.

    Example:

        chains = bdlzoo.evaluation.chain_diagnostics.predictions(sampler, x_val)
        bdlzoo.evaluation.effective_size(chains)
    """
    _check_samples(values)
    alone = values.shape[1] == 1
    return tfp.mcmc.effective_sample_size(
        _doubles(values[:, 0] if alone else values),
        filter_beyond_positive_pairs=True,
        cross_chain_dims=None if alone else 1).numpy()


def noise_ratio(model, x, y, num_batches=100, batch_size=100, seed=0):
    """Noise of the gradient by noise that is injected, at the chains' weights.

    Well below 1, or the chain samples a law that is hotter than the posterior.

    Args:
        model: `ChainModel` that was trained, without a preconditioner.
        x: Array of inputs, the training data or a part of them.
        y: Array of targets.
        num_batches: Integer, random batches that the variance is that of.
        batch_size: Integer, rows of a batch, without repetition.
        seed: Integer, of the batches.

    Returns:
        Dict of floats over all coordinates of all chains: `mean` and `max`.

    Example:

        bdlzoo.evaluation.noise_ratio(sampler, x, y)["mean"]
    """
    if isinstance(model, PreconditionedSGLD):
        raise ValueError("Expected a sampler with one step size for all weights. "
                         "Received: PreconditionedSGLD")
    if model.optimizer is None or not int(model.optimizer.iterations):
        raise ValueError("Expected chains that have started: call `fit` first. "
                         "Received: a model without a step")
    if not model.temperature:
        raise ValueError("Expected a sampler that injects noise. Received: "
                         "temperature=0")
    if num_batches < 2 or not 1 <= batch_size <= len(x):
        raise ValueError(
            f"Expected two batches or more, of at most {len(x)} rows. Received: "
            f"num_batches={num_batches}, batch_size={batch_size}")
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    key = noise.key(seed, noise.DIAGNOSE)

    @tf.function
    def gradient(batch):
        own = noise.fold_in(key, batch)
        rows = noise.permutation(len(x), noise.fold_in(own, 0))[:batch_size]
        with tf.GradientTape() as tape:
            nlls, _ = model.member_nll(tf.gather(x, rows)[None],
                                       tf.gather(y, rows)[None],
                                       noise.fold_in(own, 1))  # [M, B]
            # A sum over chains: each has the gradient of its own mean.
            loss = tf.reduce_sum(tf.reduce_mean(
                nlls, axis=list(range(1, nlls.shape.rank))))
        parts = tape.gradient(loss, model.network.trainable_variables)
        return tf.concat([tf.reshape(part, [-1]) for part in parts], axis=0)

    mean, squares = 0.0, 0.0  # Running ones: all gradients might not fit.
    for batch in range(num_batches):
        found = gradient(tf.constant(batch)).numpy().astype("float64")
        shift = found - mean
        mean = mean + shift / (batch + 1)
        squares = squares + shift * (found - mean)
    injected = 2 * (1 - model.optimizer.momentum) * model.temperature / (
        float(model.optimizer.learning_rate) * float(model.data_points))
    ratios = squares / (num_batches - 1) / injected
    return {"mean": float(ratios.mean()), "max": float(ratios.max())}


def _doubles(values):
    return tf.cast(values, tf.float64)


def _check_samples(values):
    if len(values) < _LEAST:
        raise ValueError(f"Expected {_LEAST} samples of a chain or more: go on with "
                         "`fit`, or make the model with a larger `num_kept`. "
                         f"Received: {len(values)}")
