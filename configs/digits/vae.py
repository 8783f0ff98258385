"""VAE on the bundled digits: grey pixels as probabilities of white.

    bdlzoo train --config=digits/vae.py --workdir=runs/vae
"""

from ml_collections import config_dict


def get_config(variant=""):
    config = config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="digits", validation=0.1, limit=config_dict.placeholder(int),
                  round=False),
        encoder=dict(type="MLP", hidden=(128, 128)),
        decoder=dict(type="MLP", hidden=(128, 128)),
        latent=8,
        likelihood=dict(type="BernoulliPixels"),
        method=dict(type="VAE", num_samples=16, num_train_samples=1, kl_weight=1.0),
        optimizer=dict(type="Adam", learning_rate=2e-3),
        batch_size=32,
        epochs=60))
    if variant == "smoke":
        config.data.limit = 64
        for part in (config.encoder, config.decoder):
            part.hidden = (8,)
        config.latent = 3
        config.method.num_samples = 4
        config.epochs = 1
    return config
