"""Discrete VAE on the bundled digits, 15 binary variables, by direct optimisation.

    bdlzoo train --config=digits/discrete_vae.py --workdir=runs/discrete
"""

from ml_collections import config_dict


def get_config(variant=""):
    config = config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="digits", validation=0.1, limit=config_dict.placeholder(int),
                  round=False),
        encoder=dict(type="MLP", hidden=(128,)),
        decoder=dict(type="MLP", hidden=(128,)),
        likelihood=dict(type="BernoulliPixels"),
        method=dict(
            type="DiscreteVAE", num_variables=15, num_values=2, train_kl=True,
            num_samples=64, num_train_samples=1, estimator=dict(
                type="DirectOptimization", two_sided=False, epsilon=dict(
                    type="ExponentialFall", initial=0.1, rate=1e-5, floor=0.01,
                    every=500))),
        optimizer=dict(type="Adam", learning_rate=2e-3),
        batch_size=32,
        epochs=60))
    if variant == "smoke":
        config.data.limit = 64
        for part in (config.encoder, config.decoder):
            part.hidden = (8,)
        config.method.num_variables, config.method.num_values = 3, 3
        config.method.num_samples = 4
        config.epochs = 1
    return config
