"""Learnt dropout rates on a line, with few data and with many.

    y = 2 x + 8 + e,    x ~ N(0, 1),    e ~ N(0, 1)

Three hidden layers of 1024 units, concrete dropout before every dense layer, a
mean and a variance as outputs. With the authors' numbers of steps the rates of
the hidden layers end at about 0.40 with 10 rows, 0.24 with 100 and 0.13 with
10,000. But Adam moves a logit by little more than its learning rate a step: the
first two rates are set by the number of steps, 2000 and 1000 from a rate of 0.1 (100
rows end at 0.40 as well after 2000), and only the last is set by the data.

Reference: Gal, Hron and Kendall, Concrete Dropout, NeurIPS 2017.
"""

import keras
import numpy as np

from bdlzoo.core import noise
from bdlzoo.methods import MCDropout
from bdlzoo.networks import blocks
from tools.reproduce.table import Row, Table

LENGTH_SCALE = 1e-4  # Of the prior: the inverse of its standard deviation.
BATCH = 20
NUM_STEPS = {10: 2000, 25: 2000, 50: 1500, 100: 1000, 1000: 1000, 10_000: 1000}

TABLE = Table(
    name="concrete_toy",
    title="Concrete dropout on a line, 3 x 1024 units",
    subject="Toys",
    metrics=("rate_input", "rate_hidden", "epistemic_std", "aleatoric_std"),
    rows=tuple(Row(f"{count} rows", "concrete_dropout_toy",
                   dict(rate_hidden=rate, rate_input=0.075), dict(num_data=count))
               for count, rate in ((10, 0.40), (100, 0.24), (10000, 0.13))),
    note="Gal, Hron and Kendall (2017), read off the authors' notebook. Adam moves a "
         "logit by about 0.001 a step, and the notebook takes fewer steps with more "
         "rows (2000, 1000, 1000): the rates at 10 and 100 rows are set by the number "
         "of steps, not by the data.",
    headline=tuple((f"{count} rows", "rate_hidden") for count in (10, 100, 10000)))


def run(seed=0, num_data=100, num_steps=None, learning_rate=1e-3, width=1024,
        num_test=1000, num_samples=20):
    """Trains on `num_data` rows and measures rates and uncertainty.

    Args:
        seed: Integer.
        num_data: Integer, rows to train on.
        num_steps: Integer; `None` is the number of the authors, or 1000.
        learning_rate: Float, of Adam.
        width: Integer, units of each hidden layer.
        num_test: Integer, rows over which the uncertainty is averaged.
        num_samples: Integer, draws at prediction.

    Returns:
        Dict of floats: `rate_input`, `rate_hidden` (mean over the dropout of
        all hidden layers), `epistemic_std`, `aleatoric_std`.
    """
    num_steps = num_steps or NUM_STEPS.get(num_data, 1000)
    keras.utils.set_random_seed(seed)  # The weights at the start.
    model = MCDropout(_network(width), "heteroscedastic_gaussian", seed=seed,
                      num_samples=num_samples, prior_scale=1 / LENGTH_SCALE)
    model.compile(keras.optimizers.Adam(learning_rate))
    rows = min(BATCH, num_data)
    # One long epoch: starting thousands of short ones takes time.
    repeats = -(-num_steps * rows // num_data)
    x, y = (np.tile(part, (repeats, 1))[:num_steps * rows]
            for part in line(num_data, seed))
    model.fit(x, y, batch_size=rows, num_data=num_data, verbose=0)
    prediction = model.predict_uncertainty(line(num_test, seed + 1)[0])
    first, *others = model.rates().values()
    return {"rate_input": first, "rate_hidden": float(np.mean(others)),
            "epistemic_std": float(np.mean(prediction.epistemic)**0.5),
            "aleatoric_std": float(np.mean(prediction.aleatoric)**0.5)}


def line(num_data, seed=0):
    """Returns `num_data` rows of inputs and targets, `[N, 1]` each."""
    x, error = noise.normal([2, num_data, 1], noise.key(seed, noise.ORDER)).numpy()
    return x, 2.0 * x + 8.0 + error


def _network(width):
    """The network of the authors: both heads have dropout of their own."""
    x = inputs = keras.Input((1,))
    concrete = {"type": "ConcreteDropout"}
    for _ in range(3):
        x = keras.layers.Dense(width, "relu")(blocks.drop(x, concrete))
    heads = [keras.layers.Dense(1)(blocks.drop(x, concrete)) for _ in range(2)]
    return keras.Model(inputs, keras.layers.Concatenate()(heads))
