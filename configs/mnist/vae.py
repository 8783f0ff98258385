"""VAE on MNIST, pixels rounded to black or white, two layers of 400 units.

    bdlzoo train --config=mnist/vae.py --workdir=runs/vae

The bound, nats an image, is `loss` among the scores.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/vae.py", variant)
    config.data = dict(name="mnist", validation=2000, round=True,
                       limit=config_dict.placeholder(int))
    if variant == "smoke":
        config.data.limit = 64
        return config
    for part in (config.encoder, config.decoder):
        part.hidden = (400, 400)
    config.latent = 32
    config.optimizer = dict(type="Adam", learning_rate=1e-3)
    config.update(batch_size=128, epochs=60)
    return config
