"""The evidence bound as a criterion of architectures, on one input.

    log p(y) >= E_q[log p(y | w)] - KL(q || prior)

A linear model on features has its evidence in closed form, the density of y at

    N(0, prior_scale**2 F F' + noise_scale**2 I),     F the features [N, D]

The largest bound of a factorised posterior is known too. It is smaller by half of the
difference between the sum of the logs of the diagonal of the posterior precision and
its log determinant. Cosines on a grid are orthogonal: the precision is diagonal, and
the bound equals the evidence. Bumps overlap, and the bound is smaller. For a network
with one hidden layer only the bound is known, at any width.

Reference: MacKay, A Practical Bayesian Framework for Backpropagation Networks,
Neural Computation 1992.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.methods import MeanFieldVI
from bdlzoo.networks import MLP

NOISE_SCALE = 0.1
NUM_DATA = 64


def run(seed=0, width=8, model="network", num_steps=4096, rate=0.03,
        prior_scale=2.0, init_scale=0.05, num_train_samples=4, num_samples=1000):
    """Trains one model and computes its bound on the training data.

    Args:
        seed: Integer, of weights and draws; the data stay the same.
        width: Integer, hidden units, or features of a linear model.
        model: `"network"` (one hidden layer of tanh), or the features of a
            linear model, `"cosine"` or `"bump"`.
        num_steps: Integer, steps on all data at once.
        rate: Float, learning rate of Adam, which falls to zero.
        prior_scale: Float, standard deviation of the prior on all weights, divided
            by the root of the width behind hidden units.
        init_scale: Float, standard deviation of the posterior at the start.
        num_train_samples: Integer, draws in a step.
        num_samples: Integer, draws of the bound.

    Returns:
        Dict of floats in nats: `elbo`, `kl`, and for a linear model also
        `evidence` and `best_elbo`, the largest bound of a factorised posterior.
    """
    x, y = toy()
    hidden, known = (), {}
    if model == "network":  # The ones stand for a bias, which has a prior then.
        x, hidden = np.concatenate([x, np.ones_like(x)], axis=1), (width,)
    else:
        x = features(x, width, model)
        known = exact(x, y, prior_scale)
    keras.utils.set_random_seed(seed)  # The weights at the start.
    spec = {"type": "DenseLocalReparameterization", "use_bias": False,
            "prior_scale": prior_scale, "init_scale": init_scale}
    # The prior of the function must not grow with the number of hidden units.
    last = {**spec, "prior_scale": prior_scale / np.sqrt(max(hidden, default=1))}
    network = MLP(x.shape[1:], hidden, 1, activation="tanh", layer=spec,
                  output_layer=last)
    model = MeanFieldVI(
        network, {"type": "Gaussian", "noise_scale": NOISE_SCALE}, seed=seed,
        num_train_samples=num_train_samples, num_samples=num_samples)
    model.compile(keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(rate, num_steps)), metrics=[])
    # One long epoch in order, so that every batch is all of the data.
    rows = [np.concatenate([part] * num_steps) for part in (x, y)]
    model.fit(*rows, batch_size=len(x), num_data=len(x), shuffle=False, verbose=0)
    logs = model.evaluate(x, y, batch_size=len(x), return_dict=True, verbose=0)
    return {"elbo": float(logs["elbo"]), "kl": float(model.kl()), **known}


def toy():
    """A sine with noise on a grid of `[-1, 1]`, `[N, 1]` both.

    Always the same one: bounds compare only where the data are the same.
    """
    x = (2.0 * np.arange(NUM_DATA) + 1.0) / NUM_DATA - 1.0
    error = noise.normal([NUM_DATA], noise.key(0, noise.ORDER)).numpy()
    y = np.sin(4.0 * x) + NOISE_SCALE * error
    return data.Split(np.float32(x[:, None]), np.float32(y[:, None]))


def features(x, count, kind):
    """Features of x, `[N, count]`."""
    if kind == "cosine":  # Orthogonal on the grid of `toy`.
        return np.cos(0.5 * np.pi * np.arange(count, dtype="float32") * (x + 1.0))
    if kind == "bump":
        centres = np.linspace(-1.0, 1.0, count, dtype="float32")
        return np.exp(-0.5 * ((x - centres) / (2.0 / (count - 1))) ** 2)
    raise ValueError("Expected 'network', 'cosine' or 'bump'. Received: "
                     f"model={kind!r}")


def exact(inputs, targets, prior_scale):
    """Evidence of a linear model, and the largest bound with a factorised q."""
    inputs, targets = np.float64(inputs), np.float64(targets)[:, 0]
    count, width = inputs.shape
    precision = (np.eye(width) / prior_scale**2
                 + inputs.T @ inputs / NOISE_SCALE**2)
    covariance = (prior_scale**2 * inputs @ inputs.T
                  + NOISE_SCALE**2 * np.eye(count))
    evidence = -0.5 * (count * np.log(2.0 * np.pi)
                       + np.linalg.slogdet(covariance)[1]
                       + targets @ np.linalg.solve(covariance, targets))
    lost = 0.5 * (np.sum(np.log(np.diag(precision)))
                  - np.linalg.slogdet(precision)[1])
    return {"evidence": float(evidence), "best_elbo": float(evidence - lost)}


def curve(widths=(2, 3, 4, 6, 8, 12, 16), num_seeds=2, num_features=6,
          num_steps=4096):
    """The bound of the network over widths, beside a linear model on bumps.

    Returns:
        Dict; see `bdlzoo.reports.evidence_curve`.
    """
    linear = run(0, num_features, "bump", num_steps)
    bounds = []
    for seed in range(num_seeds):
        bounds.append([run(seed, width, num_steps=num_steps)["elbo"]
                       for width in widths])
        print(f"  seed {seed}: " + ", ".join(f"{b:.1f}" for b in bounds[-1]),
              flush=True)
    return {"widths": np.array(widths), "bounds": np.array(bounds),
            "evidence": linear["evidence"], "linear_bound": linear["elbo"]}
