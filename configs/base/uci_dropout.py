"""Dropout on the UCI benchmark: the grid, and the values chosen from it.

Dropout rate and precision of the noise (one over its variance, in the units of the
targets) were chosen from the released grid, on fold 0, by MC dropout with
`--config.select=fold_0`; for naval, power and protein after a tenth of the epochs. For
any other set they are chosen in the same way when it is run, with noise scales that are
shares of the standard deviation of its targets. `--config.select=each_fold` is the
released protocol, a grid for each fold, which takes many times as long.
"""

from ml_collections import config_dict

from bdlzoo import runs

# Rate and precision that were chosen, and the released grid of precisions.
_SETS = {
    "uci/bostonHousing": (0.1, 0.2, (0.1, 0.15, 0.2)),
    "uci/concrete": (0.01, 0.075, (0.025, 0.05, 0.075)),
    "uci/naval-propulsion-plant": (0.005, 4e4, (3e4, 4e4, 5e4)),
    "uci/power-plant": (0.005, 0.1, (0.05, 0.1, 0.15)),
    "uci/protein-tertiary-structure": (0.005, 0.05, (0.025, 0.05, 0.075)),
    "uci/wine-quality-red": (0.1, 3.0, (2.5, 3.0, 3.5)),
    "uci/yacht": (0.005, 0.75, (0.25, 0.5, 0.75)),
}


def get_config():
    config = runs.read_config("base/uci.py")
    with config.unlocked():
        config.network.dropout = config_dict.placeholder(float)
        config.precision = config_dict.placeholder(float)
        config.select = "recorded"
        config.grid = dict(dropout=(0.005, 0.01, 0.05, 0.1),
                           precision=config_dict.placeholder(tuple),
                           noise_share=(0.1, 0.2, 0.3, 0.5, 0.7))
        config.chosen = {
            name: dict(network=dict(dropout=rate), precision=precision,
                       grid=dict(precision=grid))
            for name, (rate, precision, grid) in _SETS.items()}
    return config
