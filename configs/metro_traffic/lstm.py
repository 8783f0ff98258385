"""LSTM over the last 24 hours of traffic, with a head for the noise, trained once.

    bdlzoo train --config=metro_traffic/lstm.py --workdir=runs/metro_lstm
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/metro_traffic.py")
    config.network = dict(type="LSTMEncoder", length=config.data.get_ref("lags"),
                          units=32, hidden=(100,), outputs=2, rate=0.0,
                          recurrent=config_dict.placeholder(str))
    config.method = dict(type="Deterministic", prior_scale=1.0)
    if variant == "smoke":
        config.data.limit, config.epochs = 256, 1
    return config
