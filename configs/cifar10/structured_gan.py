"""Structured GAN on CIFAR-10, with 4,000 labels and networks of the published size.

    bdlzoo train --config=cifar10/structured_gan.py --workdir=runs/structured_gan
    bdlzoo train --config=cifar10/structured_gan.py --config.data.name=svhn_cropped ...

The schedules are those of the paper, of 1,000 epochs, counted in steps. The release
has Gaussian noise in front of the classifier, which is the augmentation here.
"""

from bdlzoo import runs

_EPOCH = 490  # Steps of 100 rows without a label.


def get_config(variant=""):
    config = runs.read_config("digits/structured_gan.py", variant)
    config.data.update(name="cifar10", validation=1000)
    if variant == "smoke":
        return config
    config.data.labels = 4000
    config.network.update(
        stages=((128, 128, 128), (256, 256, 256), (512, 256, 128)), first_kernel=3,
        dropout=0.5)
    with config.unlocked():
        config.network.update(activation="leaky_relu", pointwise=True)
        config.generator.filters = (512, 256, 128)
        config.discriminator_xy.update(filters=(32, 64, 128), dropout=0.2)
        config.discriminator_xz.filters = (64, 128)
        config.method.augmentation = dict(type="GaussianNoise", stddev=0.075)
    config.generator.hidden = ()
    config.inference.update(filters=(64, 128, 256), hidden=(), normalize=True)
    config.discriminator_xy.update(hidden=(), input_noise=0.0)
    config.discriminator_xz.update(hidden=(512,), code_hidden=(512,), input_noise=0.0)
    config.latent = 100
    config.method.pseudo_share.update(start=10 * _EPOCH, length=100 * _EPOCH)
    with config.unlocked(), config.ignore_type():
        config.method.label_weight = 1.0  # As released.
    config.method.generated_weight.update(peak=1.0, start=0, length=300 * _EPOCH)
    config.method.update(pretrain_steps=50 * _EPOCH, labelled_batch=100)
    config.optimizer.learning_rate = 3e-4
    config.update(batch_size=100, epochs=1000)
    return config
