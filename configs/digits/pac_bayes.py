"""A PAC-Bayes bound on the bundled digits.

    bdlzoo train --config=digits/pac_bayes.py --workdir=runs/digits

The rows are few and the prior knows nothing, so that at full weight the bound is
lowest where nothing is learnt: the KL counts for a tenth, hence the loss is no
bound. For a certificate see `tools.reproduce.certified_risk`.
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
