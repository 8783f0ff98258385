r"""Adversarial posterior distillation, online, on the bundled digits.

    bdlzoo train \
        --config=digits/adversarial_posterior_distillation.py \
        --workdir=runs/generated
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/digits.py")
    config.network = dict(type="MLP", hidden=(32,), outputs=10, dropout=0.0)
    config.method = dict(type="AdversarialPosteriorDistillation", mode="wgan_gp",
                         width=100, latent=32, standardize=True, gan_batch=50,
                         distill_every=1, num_chains=2, burn_in=500, thinning=20,
                         num_kept=100, num_samples=100, temperature=1.0,
                         prior_scale=1.0)
    config.optimizer = dict(type="SGD", learning_rate=0.05)
    config.epochs = 100
    if variant == "smoke":
        config.data.limit = 64
        config.network.update(hidden=(8,))
        config.method.update(mode="gan", width=4, gan_batch=4, num_chains=1, burn_in=0,
                             thinning=1, num_kept=2, num_samples=4)
        config.epochs = 1
    return config
