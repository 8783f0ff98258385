r"""Flipout with learnt noise on the UCI benchmark, 400 epochs.

    bdlzoo train --config=uci/mean_field_vi.py \
        --config.data.name=uci/concrete --workdir=runs/concrete
"""

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/uci.py")
    config.epochs = 400
    config.jit_compile = False  # Flipout runs once for each copy: long to compile.
    config.likelihood.learn_noise = True
    with config.unlocked():
        config.network.layer = dict(type="DenseFlipout", init_scale=0.05)
    config.method = dict(type="MeanFieldVI", num_samples=200, num_train_samples=1,
                         kl_weight=1.0)
    return config
