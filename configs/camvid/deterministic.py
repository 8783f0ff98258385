"""One U-Net on CamVid, the reference of the others.

    bdlzoo train --config=camvid/deterministic.py --workdir=runs/camvid
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/camvid.py")
    config.method = dict(type="Deterministic",
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.update(size=(24, 32), limit=16)
        config.network.filters, config.epochs = (4, 8), 1
    return config
