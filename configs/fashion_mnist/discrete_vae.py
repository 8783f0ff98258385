"""Discrete VAE on rounded Fashion-MNIST: one variable of ten values, as released.

    bdlzoo train --config=fashion_mnist/discrete_vae.py --workdir=runs/discrete

Networks of 300 units, Adam, batches of 100, 30 epochs. The bound, nats an image, is
`loss` among the scores. `--config.method.train_kl=False` is the released behaviour.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/discrete_vae.py", variant)
    config.data = dict(name="fashion_mnist", validation=0, round=True,
                       limit=config_dict.placeholder(int))
    if variant == "smoke":
        config.data.limit = 64
        return config
    for part in (config.encoder, config.decoder):
        part.hidden = (300,)
    config.method.update(num_variables=1, num_values=10)
    config.optimizer = dict(type="Adam", learning_rate=1e-3)
    config.update(batch_size=100, epochs=30)
    return config
