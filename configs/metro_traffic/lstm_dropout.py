"""LSTM over the last 24 hours of traffic, with one dropout mask for all hours.

    bdlzoo train --config=metro_traffic/lstm_dropout.py \
        --workdir=runs/metro_lstm_dropout

`config.network.recurrent="NaiveDropoutLSTM"` has a new mask at each hour.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("metro_traffic/lstm.py")
    config.network.rate = 0.05
    config.method = dict(type="MCDropout", num_samples=32, num_train_samples=1,
                         prior_scale=1.0)
    if variant == "smoke":
        config.data.limit, config.epochs, config.method.num_samples = 256, 1, 4
    return config
