"""PAC-Bayes bounds, and certificates of the risk of a randomised classifier.

For `num_data` i.i.d. rows, a loss in [0, 1] and its empirical mean `risk`, each bound
holds with probability 1 - delta, for all posteriors at once:

    c      = (kl + ln(2 sqrt(num_data) / delta)) / num_data
    true  <= risk + sqrt(c / 2)                                     McAllester
    true  <= sup{p: kl_bernoulli(risk || p) <= c}                   kl form
    true  <= risk / (1 - w/2) + c / (w (1 - w/2)),  0 < w < 2       lambda form

The lambda form holds for all weights w at once, and so for the best one:

    w = 2 / (sqrt(2 risk / c + 1) + 1)

Reference: McAllester, PAC-Bayesian Model Averaging, COLT 1999; Maurer, A Note
on the PAC Bayesian Theorem, 2004; Thiemann et al., A Strongly Quasiconvex
PAC-Bayesian Bound, ALT 2017; Perez-Ortiz et al., Tighter Risk Certificates for
Neural Networks, JMLR 2021; Hoeffding, On the Distribution of the Number of
Successes in Independent Trials, 1956 (draws that are not identical).
"""

import dataclasses
import math

import keras
import numpy as np
import tensorflow as tf

from bdlzoo.core import keras_internals, noise
from bdlzoo.layers.normal_prior import NormalPrior
from bdlzoo.likelihoods.likelihood import ClassLikelihood
from bdlzoo.surgery import calls, conversion, memory

_LEAST_DRAWS = 500  # With fewer, `risk_upper` is more than 0.01 too high.
_PASSES = 10
_OUTPUTS = 2**24  # Largest number of outputs of a chunk of coherent draws.


def kl_inverse(risk, bound):
    """Largest p with `kl_bernoulli(risk || p) <= bound`, by bisection.

    Args:
        risk: Array of numbers in [0, 1].
        bound: Array of numbers >= 0, of a shape that broadcasts with `risk`.

    Returns:
        Float64 array, or a float if both arguments are scalars.
    """
    risk, bound = _risk(risk), _not_negative("bound", bound)
    risk, bound = np.broadcast_arrays(risk, bound)
    low, high = risk, np.ones_like(risk)
    for _ in range(60):
        middle = 0.5 * (low + high)
        inside = _kl_bernoulli(risk, middle) <= bound
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high[()]  # The upper end, so that rounding does not lower a bound.


def mcallester(risk, kl, num_data, delta):
    """Additive bound of McAllester; a value above 1 says nothing.

    Args:
        risk: Float in [0, 1], empirical risk.
        kl: Float, KL divergence of the posterior from the prior, in nats.
        num_data: Integer, number of rows that the risk was measured on.
        delta: Float, probability that the bound fails.
    """
    return _risk(risk) + np.sqrt(complexity(kl, num_data, delta) / 2)


def kl_bound(risk, kl, num_data, delta):
    """Bound in the kl form, the tightest of the three.

    Args:
        risk: Float in [0, 1], empirical risk.
        kl: Float, KL divergence of the posterior from the prior, in nats.
        num_data: Integer, number of rows that the risk was measured on.
        delta: Float, probability that the bound fails.
    """
    return kl_inverse(risk, complexity(kl, num_data, delta))


def lambda_bound(risk, kl, num_data, delta, weight=None):
    """Bound in the lambda form.

    Args:
        risk: Float in [0, 1], empirical risk.
        kl: Float, KL divergence of the posterior from the prior, in nats.
        num_data: Integer, number of rows that the risk was measured on.
        delta: Float, probability that the bound fails.
        weight: Float in (0, 2); `None` takes the best one.
    """
    if weight is None:
        weight = best_weight(risk, kl, num_data, delta)
    weight = np.asarray(weight, "float64")
    if not np.all((weight > 0) & (weight < 2)):
        raise ValueError("Expected a weight above 0 and below 2. Received: "
                         f"weight={weight}")
    rest = 1 - weight / 2
    return (_risk(risk) / rest
            + complexity(kl, num_data, delta) / (weight * rest))


def best_weight(risk, kl, num_data, delta):
    """Weight for which the lambda form is lowest.

    Args:
        risk: Float in [0, 1], empirical risk.
        kl: Float, KL divergence of the posterior from the prior, in nats.
        num_data: Integer, number of rows that the risk was measured on.
        delta: Float, probability that the bound fails.
    """
    ratio = 2 * _risk(risk) / complexity(kl, num_data, delta)
    # With a risk of 0 the formula gives 1, but a tiny risk may round it above.
    return np.minimum(2 / (np.sqrt(ratio + 1) + 1), 2 - 1e-9)


def complexity(kl, num_data, delta):
    """Complexity term of all bounds, `c` in the formulas of this file.

    Args:
        kl: Float, KL divergence of the posterior from the prior, in nats.
        num_data: Integer, number of rows that the risk was measured on.
        delta: Float, probability that the bound fails.
    """
    kl, delta = _not_negative("kl", kl), _chance("delta", delta)
    if not np.all(np.asarray(num_data) >= 1):
        raise ValueError("Expected at least one row. Received: "
                         f"num_data={num_data}")
    return (kl + np.log(2 * np.sqrt(num_data) / delta)) / num_data


@dataclasses.dataclass(frozen=True)
class Certificate:
    """Bounds on the 0-1 risk that hold with probability `1 - delta - delta_mc`.

    Args:
        kl: Float, KL divergence of the posterior from the prior, in nats.
        num_data: Integer, number of rows.
        delta: Float, probability that a bound fails although `risk_upper` holds.
        delta_mc: Float, probability that `risk_upper` fails.
        num_draws: Integer, number of independent draws.
        risk_mc: Float, share of errors among the draws.
        risk_upper: Float, upper bound on the empirical risk.
        mcallester: Float, bound on the true risk from `risk_upper`, by McAllester.
        kl_bound: Float, bound on the true risk from `risk_upper`, in the kl form.
        lambda_bound: Float, bound on the true risk from `risk_upper`, in the lambda
            form.
    """

    kl: float
    num_data: int
    delta: float
    delta_mc: float
    num_draws: int
    risk_mc: float
    risk_upper: float
    mcallester: float
    kl_bound: float
    lambda_bound: float

    def __str__(self):
        rows = [("rows", f"{self.num_data}"), ("kl, nats", f"{self.kl:.1f}"),
                ("independent draws", f"{self.num_draws}"),
                ("delta", f"{self.delta:g}"), ("delta_mc", f"{self.delta_mc:g}"),
                ("confidence", f"{1 - self.delta - self.delta_mc:g}"),
                ("risk, drawn", f"{self.risk_mc:.4f}"),
                ("risk, at most", f"{self.risk_upper:.4f}"),
                ("McAllester bound", f"{self.mcallester:.4f}"),
                ("lambda bound", f"{self.lambda_bound:.4f}"),
                ("kl bound", f"{self.kl_bound:.4f}")]
        return "\n".join(f"{name:<18} {value:>10}" for name, value in rows)


def certificate(model, x, y, delta=0.04, delta_mc=0.01, num_draws=None, seed=0,
                verbose=0):
    """Certifies the 0-1 risk of the randomised classifier of a model.

    The randomised classifier draws new weights for every input. The average over draws
    is another classifier, often a better one, and the bounds do not hold for it.
    Calibration has no effect, because it changes no label of a draw.

    The caller must guarantee that:

    - the rows are i.i.d., and test inputs have the same distribution;
    - the prior, with all its options and all frozen weights, was fixed before (x, y)
      were seen, or was made from other rows. The posterior may have been trained on
      these rows and on others;
    - if the best of k priors is chosen by its certificate, each certificate was
      computed with `delta / k`.

    If all random layers have `independent_rows`, each row of each pass has its own
    weights and counts as one draw. Such draws are Bernoulli variables with different
    means. Their sum is more concentrated than with equal means (Hoeffding 1956), so
    `risk_upper` holds for them too.

    Args:
        model: `PredictiveModel` whose layers have a KL.
        x: Inputs of rows that the prior was not fitted to.
        y: Integer classes of the rows.
        delta: Float, probability that the bound fails.
        delta_mc: Float, probability that `risk_upper` fails.
        num_draws: Integer, draws for each row; `None` takes 500, or 10 if rows are
            independent. At least 500 independent draws in all are needed.
        seed: Integer, seed of the draws.
        verbose: Integer, 1 shows a progress bar.

    Returns:
        `Certificate`.
    """
    _chance("delta", delta), _chance("delta_mc", delta_mc)
    _chance("delta + delta_mc", delta + delta_mc)
    if not isinstance(model.likelihood, ClassLikelihood):
        raise ValueError("Expected a classifier, because 0-1 risk needs labels. "
                         f"Received: likelihood={model.likelihood.name}")
    x, y = tf.nest.map_structure(np.asarray, (x, y))
    model.build_once(x)
    model.check_data(x, y)
    kl = _kl(model.network)
    random = conversion.stochastic_layers(model.network)
    alone = _called_once(model.network) and all(
        getattr(layer, "independent_rows", False) for layer in random)
    if num_draws is None:
        least = math.ceil(_LEAST_DRAWS / len(y))
        num_draws = max(_PASSES, least) if alone else _LEAST_DRAWS
    count = num_draws * len(y) if alone else num_draws
    if count < _LEAST_DRAWS:
        raise ValueError(
            f"Expected at least {_LEAST_DRAWS} independent draws: with fewer, the "
            "certificate is loose for every posterior. Received: "
            f"num_draws={num_draws}, of which {count} are independent")
    estimate = risk_of_rows if alone else risk_of_draws
    risk = estimate(model, x, y, num_draws, seed, verbose)
    upper = kl_inverse(risk, math.log(2 / delta_mc) / count)
    bounds = {bound.__name__: float(bound(upper, kl, len(y), delta))
              for bound in (mcallester, kl_bound, lambda_bound)}
    return Certificate(kl=kl, num_data=len(y), delta=delta, delta_mc=delta_mc,
                       num_draws=count, risk_mc=risk, risk_upper=float(upper),
                       **bounds)


def risk_of_draws(model, x, y, num_draws, seed=0, verbose=0):
    """Mean 0-1 risk of coherent draws, each used for all rows.

    Args:
        model: `PredictiveModel` of classes.
        x: Inputs of the rows.
        y: Integer classes of the rows.
        num_draws: Integer, number of draws.
        seed: Integer, seed of the draws.
        verbose: Integer, 1 shows a progress bar.
    """
    draw = model.sample_outputs(x, 1, seed)
    step = max(1, _OUTPUTS // draw.shape.num_elements())
    bar = keras.utils.Progbar(num_draws, verbose=verbose, unit_name="draw")
    errors = 0
    for chunk, start in enumerate(range(0, num_draws, step)):
        count = min(step, num_draws - start)
        outputs = model.sample_outputs(x, count, seed=(seed, chunk))
        errors += _errors(model, outputs, y)
        bar.add(count)
    return errors / (num_draws * len(y))


def _called_once(network):
    """Whether every random layer is used only once.

    Two uses would have the same noise on their outputs. This is not the same as one
    draw of the weights.
    """
    functional = keras_internals.graph(network)
    if functional is None:
        return False
    _, network_calls, _ = calls.walk(functional)
    used = [id(call.layer) for call in network_calls if call.random]
    return len(used) == len(set(used))


def risk_of_rows(model, x, y, num_passes, seed=0, verbose=0):
    """Mean 0-1 risk of passes in which each row has its own weights.

    Args:
        model: `PredictiveModel` of classes.
        x: Inputs of the rows.
        y: Integer classes of the rows.
        num_passes: Integer, number of passes over the rows.
        seed: Integer, seed of the draws.
        verbose: Integer, 1 shows a progress bar.
    """
    inputs = tf.nest.map_structure(tf.convert_to_tensor, x)
    row_bytes, weight_bytes = memory.needs(model.network)
    if not all(getattr(layer, "one_position", False)
               for layer in conversion.stochastic_layers(model.network)):
        row_bytes += weight_bytes  # Each row holds a copy of the weights.
    step = min(2048, max(1, memory.BUDGET // row_bytes))

    @tf.function(reduce_retracing=True)
    def outputs_of(rows, key):
        with noise.draws(key, coherent=False):
            return tf.cast(model.network(rows, training=False), tf.float32)[None]

    bar = keras.utils.Progbar(num_passes, verbose=verbose, unit_name="pass")
    errors = 0
    for number in range(num_passes):
        for start in range(0, len(y), step):
            part = slice(start, start + step)
            rows = tf.nest.map_structure(lambda t: t[part], inputs)
            outputs = outputs_of(
                rows, noise.key(seed, noise.PREDICT, number, start))
            errors += _errors(model, outputs, y[part])
        bar.add(1)
    return errors / (num_passes * len(y))


def _errors(model, outputs, y):
    """Number of wrong labels in draws of the outputs, `[S, B, ...]`."""
    log_probs = model.likelihood.prediction(outputs).log_probs  # [S, B, C]
    labels = np.argmax(log_probs, axis=-1)
    return int((labels != np.reshape(y, [-1])).sum())


def _kl(network):
    """KL of the posterior; raises an error if it leaves out trained weights."""
    layers = [layer for layer in keras_internals.layers(network)
              if hasattr(layer, "kl")]
    if not layers:
        raise ValueError("Expected a network with variational layers: without a "
                         "posterior there is nothing to certify. Received: "
                         f"network={network.name}")
    for layer in layers:
        prior = getattr(layer, "prior", None)
        if not isinstance(prior, NormalPrior) or prior.learn_scale:
            raise ValueError(
                "Expected normal priors that are not trained: other divergences are "
                "only sampled, and a trained prior depends on the rows. Received: "
                f"prior={type(prior).__name__} in layer={layer.name}")
    weights = network.trainable_variables
    with tf.GradientTape() as tape:
        kl = tf.add_n([layer.kl() for layer in layers])
    slopes = tape.gradient(kl, weights)
    free = [w.path for w, slope in zip(weights, slopes) if slope is None]
    if free:
        raise ValueError(
            "Expected every trainable weight in the KL, since a bound must count all "
            "that was fitted to the rows. Give the weights a posterior (such as "
            "`variational_bias=True`), or freeze them at the value of the prior. "
            f"Received: {len(free)} weights that are not in the KL, such as {free[:3]}")
    return sum(map(_nats, layers))


def _nats(layer):
    """KL of a layer, in float64 because float32 is too rough for a long sum."""
    parts = [(layer.kernel, layer.kernel_rho, layer.prior)]
    if layer.variational_bias:
        parts.append((layer.bias, layer.bias_rho, layer.bias_prior))
    nats = 0.0
    for mean, rho, prior in parts:
        loc = _float64(prior.loc) if prior.at_weights else 0.0
        rho = _float64(rho)
        scale = np.exp(rho) if layer.scale_transform == "exp" else (
            np.logaddexp(0.0, rho))
        ratio, distance = scale / prior.scale, (_float64(mean) - loc) / prior.scale
        nats += 0.5 * np.sum(ratio**2 + distance**2 - 1) - np.sum(np.log(ratio))
    return max(float(nats), 0.0)  # By rounding, a KL of 0 may be below.


def _float64(variable):
    return keras.ops.convert_to_numpy(variable).astype("float64")


def _kl_bernoulli(first, second):
    with np.errstate(divide="ignore", invalid="ignore"):
        ones = first * np.log(first / second)
        zeros = (1 - first) * np.log((1 - first) / (1 - second))
    return np.where(first > 0, ones, 0.0) + np.where(first < 1, zeros, 0.0)


def _risk(risk):
    risk = np.asarray(risk, "float64")
    if not np.all((risk >= 0) & (risk <= 1)):
        raise ValueError(f"Expected a risk from 0 to 1. Received: risk={risk}")
    return risk


def _not_negative(name, value):
    value = np.asarray(value, "float64")
    if not np.all(value >= 0):
        raise ValueError("Expected a number that is not negative. Received: "
                         f"{name}={value}")
    return value


def _chance(name, value):
    value = np.asarray(value, "float64")
    if not np.all((value > 0) & (value < 1)):
        raise ValueError("Expected a probability above 0 and below 1. Received: "
                         f"{name}={value}")
    return value
