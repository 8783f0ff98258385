"""Source only from the bundled digits to a copy of them in low contrast.

    bdlzoo train --config=digits/source_only.py --workdir=runs/map
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/domain_adaptation.py")
    config.method = dict(type="SourceOnly",
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.limit = config.side_sets.target.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.epochs = 1
    return config
