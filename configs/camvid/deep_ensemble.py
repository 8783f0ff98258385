"""Five U-Nets on CamVid, side by side.

    bdlzoo train --config=camvid/deep_ensemble.py --workdir=runs/camvid
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/camvid.py")
    # Batches of images and masks are augmented before members share them.
    config.method = dict(type="DeepEnsemble", num_members=5, own_order=False,
                         prior_scale=config_dict.placeholder(float))
    if variant == "smoke":
        config.data.update(size=(24, 32), limit=16)
        config.network.filters, config.epochs = (4, 8), 1
        config.method.num_members = 2
    return config
