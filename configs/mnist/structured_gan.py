"""Structured GAN on MNIST, with 100 labels.

    bdlzoo train --config=mnist/structured_gan.py --workdir=runs/structured_gan

The networks are smaller than those of the paper, and the run is a hundredth of its
1,000 epochs: `python -m tools.reproduce --table=structured_gan` has its scores.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("digits/structured_gan.py", variant)
    config.data.update(name="mnist", validation=2000)
    if variant == "smoke":
        return config
    config.network.update(stages=((16,), (32, 32), (64,)), first_kernel=5)
    config.generator.hidden = (500, 500)
    config.inference.update(filters=(16, 32), hidden=(256,), normalize=True)
    config.discriminator_xy.hidden = (500, 250, 250)
    config.discriminator_xz.update(hidden=(256, 256), code_hidden=(128,))
    config.latent = 30
    config.method.update(pretrain_steps=800, labelled_batch=50)
    config.method.pseudo_share.update(start=800, length=1700)
    config.method.label_weight.update(start=800, length=1700)
    config.method.generated_weight.update(start=1700, length=1700)
    config.update(batch_size=100, epochs=9)
    return config
