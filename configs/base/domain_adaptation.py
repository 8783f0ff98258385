"""Two domains. The bundled digits, and a copy of them in low contrast as the target."""

from ml_collections import config_dict

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/digits.py")
    # The copy has the rows of the source in another order of the splits.
    config.side_sets = dict(target=dict(name="digits", corruption="Contrast",
                                        severity=5, seed=1,
                                        limit=config_dict.placeholder(int)))
    config.epochs = 40
    return config
