"""Deep ensemble as a Gaussian process on the bundled digits.

    bdlzoo train --config=digits/degp.py --workdir=runs/degp
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    # A tenth of the divergence at a batch, divided by the batch, is 4 here.
    config.method = dict(type="DEGP", num_members=5, kl_weight=4.0, num_points=16,
                         box=(0.0, 1.0), weight_variance=2.0, bias_variance=0.01,
                         num_kernel_networks=10, jitter=0.05,
                         output_temperature=1.0, learn_temperature=True)
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(filters=(4,), hidden=(8,))
        config.method.update(num_members=3, kl_weight=0.1, num_points=4,
                             num_kernel_networks=4)
        config.epochs = 1
    return config
