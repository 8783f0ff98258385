"""Semi-supervised VAE on the bundled digits, with 50 labels.

    bdlzoo train --config=digits/semi_supervised_vae.py --workdir=runs/mixture
"""

from ml_collections import config_dict


def get_config(variant=""):
    config = config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="digits", validation=0.1, limit=config_dict.placeholder(int),
                  round=False, labels=50),
        network=dict(type="MLP", hidden=(128, 64), outputs=10, dropout=0.2),
        encoder=dict(type="MLP", hidden=(128, 64)),
        decoder=dict(type="MLP", hidden=(128,)),
        latent=8,
        likelihood=dict(type="Categorical"),
        method=dict(
            type="SemiSupervisedVAE", input_likelihood=dict(type="BernoulliPixels"),
            estimator=dict(type="DirectOptimization", epsilon=0.1),
            kl_weight=dict(type="ExponentialFall", initial=4.0, rate=5e-4, floor=1.0),
            label_steps=500, num_samples=16),
        optimizer=dict(type="Adam", learning_rate=2e-3),
        batch_size=32,
        epochs=120,
        calibrate=True))
    if variant == "smoke":
        config.data.update(limit=64, labels=config_dict.placeholder(int))
        for part in (config.network, config.encoder, config.decoder):
            part.hidden = (8,)
        config.latent = 3
        config.method.update(label_steps=0, num_samples=4)
        config.epochs = 1
    return config
