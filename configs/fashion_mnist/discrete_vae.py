"""Discrete VAE on rounded Fashion-MNIST: one variable of ten values, as released.

    bdlzoo train --config=fashion_mnist/discrete_vae.py --workdir=runs/discrete

Networks of 300 units, Adam, batches of 100, 30 epochs; the KL is reported and not
trained. The bound, nats an image, is `loss` among the scores. To train the KL too, take
a smaller epsilon, which starts from 1 here: it would outweigh the gradient of the loss.
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
    config.method.update(num_variables=1, num_values=10, train_kl=False)
    config.method.estimator.epsilon.update(initial=1.0, floor=0.1)
    config.optimizer = dict(type="Adam", learning_rate=1e-3)
    config.update(batch_size=100, epochs=30)
    return config
