"""A PAC-Bayes bound on the bundled digits.

    bdlzoo train --config=digits/pac_bayes.py --workdir=runs/digits

With few rows and a prior that is not trained, the bound is lowest if nothing is learnt.
So the KL has a weight of one tenth here, and the loss is no bound. For a certificate
use `tools.reproduce.certified_risk`.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    with config.unlocked():
        config.network = dict(
            type="MLP", hidden=(100,), outputs=10, dropout=0.0,
            layer=dict(type="DenseExemplar", prior_scale=0.3, init_scale=0.05))
    config.method = dict(type="PACBayes", num_samples=64, num_train_samples=1,
                         bound="quadratic", delta=0.05, kl_weight=0.1)
    if variant == "smoke":
        config.data.limit = 64
        config.network.hidden = (8,)
        config.method.num_samples = 4
        config.epochs = 1
    return config
