"""Discrete VAE with 15 coupled binary variables on rounded Fashion-MNIST.

    bdlzoo train --config=fashion_mnist/structured_vae.py --workdir=runs/structured

Networks of 300 units, Adam, batches of 100, 30 epochs. `loss` among the scores is an
approximate bound: the KL is that of the variables without couplings.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/structured_vae.py", variant)
    config.data = dict(name="fashion_mnist", validation=0, round=True,
                       limit=config_dict.placeholder(int))
    if variant == "smoke":
        config.data.limit = 64
        return config
    for part in (config.encoder, config.decoder):
        part.hidden = (300,)
    config.method.num_variables = 15
    config.optimizer = dict(type="Adam", learning_rate=1e-3)
    config.update(batch_size=100, epochs=30)
    return config
