"""Semi-supervised VAE on MNIST, pixels rounded to black or white, with 100 labels.

    bdlzoo train --config=mnist/semi_supervised_vae.py --workdir=runs/mixture

The labels are used as they are. `python -m tools.reproduce semi_supervised_vae` moves
and turns the labelled images as well, which is worth more than 10 points.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/semi_supervised_vae.py", variant)
    config.data.update(name="mnist", validation=2000, round=True)
    if variant == "smoke":
        return config
    config.data.labels = 100
    for part in (config.network, config.encoder):
        part.hidden = (400, 200)
    config.decoder.hidden = (400,)
    config.latent = 30
    config.method.label_steps = 1500
    config.optimizer = dict(type="Adam", learning_rate=dict(
        type="CosineDecay", initial_learning_rate=2e-3))
    config.update(batch_size=200, epochs=16)
    return config
