"""DBSN and its baselines on one network of cells, with the same training.

    dbsn        structures are learnt and drawn
    map         one structure, learnt as a point
    fixed       alpha = 1 / K
    prior       structures are drawn from the prior and not learnt
    mc_dropout  alpha = 1 / K, dropout of rate 0.2 on the nodes
    drop_path   alpha = 1 / K, operations with kernels dropped at the rate 0.3

SGD with momentum 0.9 and gradients of norm 5 at most are as published, and so are the
shares of training over which the temperatures fall: tau from 3 over 94 % of the
steps, beta from 1 over half of the epochs. The rate of SGD falls along a cosine.

Reference: Deng et al., Measuring Uncertainty through Bayesian Learning of Deep
Neural Network Structure, 2019, and its released code.
"""

import math

import keras

from bdlzoo.data.epochs import num_batches
from bdlzoo.methods import DBSN
from bdlzoo.schedules.exponential_fall import ExponentialFall

# Whether the structure is learnt, whether it is drawn, and dropout of the network.
_KINDS = {"dbsn": (True, True, {}), "map": (True, False, {}),
          "fixed": (False, False, {}), "prior": (False, True, {}),
          "mc_dropout": (False, False, {"dropout": 0.2}),
          "drop_path": (False, False, {"drop_path": 0.3})}
METHODS = tuple(_KINDS)
_INITIAL_TAU = 3.0


def structure_baseline(method, make_network, num_data, epochs, batch_size=64, seed=0,
                       learning_rate=0.1, structure_rate=0.01, tau=1.0, beta=0.5,
                       num_samples=20, prior_scale=None, likelihood="categorical"):
    """The compiled model of a method.

    Args:
        method: One of `METHODS`.
        make_network: Function that builds the network, and takes `dropout` and
            `drop_path`.
        num_data: Integer, rows to train on.
        epochs: Integer, which the schedules count on.
        batch_size: Integer.
        seed: Integer.
        learning_rate: Float, of SGD at the start.
        structure_rate: Float, of Adam on the structure.
        tau: Float, at the end.
        beta: Float, at the end.
        num_samples: Integer, draws at prediction, where they differ.
        prior_scale: See `PriorModel`.
        likelihood: Of the targets.

    Returns:
        `DBSN`.
    """
    if method not in _KINDS:
        raise ValueError(f"Expected one of {METHODS}. Received: method={method!r}")
    learnt, drawn, dropout = _KINDS[method]
    keras.utils.set_random_seed(seed)  # The weights at the start.
    steps = epochs * num_batches(num_data, batch_size)
    schedules = keras.optimizers.schedules
    model = DBSN(
        make_network(**dropout), likelihood, seed=seed, prior_scale=prior_scale,
        learn_structure=learnt, draw_structure=drawn,
        num_samples=num_samples if drawn or dropout else 1,
        tau=ExponentialFall(
            _INITIAL_TAU, math.log(_INITIAL_TAU / tau) / (0.94 * steps), tau),
        beta=schedules.PolynomialDecay(1.0, max(1, epochs // 2), beta))
    model.compile(
        keras.optimizers.SGD(schedules.CosineDecay(learning_rate, steps), momentum=0.9,
                             global_clipnorm=5.0),
        structure_optimizer=keras.optimizers.Adam(structure_rate, beta_1=0.5))
    return model
