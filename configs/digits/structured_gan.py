"""Structured GAN on the bundled digits, with 100 labels.

    bdlzoo train --config=digits/structured_gan.py --workdir=runs/structured_gan
"""

from ml_collections import config_dict


def get_config(variant=""):
    config = config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="digits", validation=0.1, limit=config_dict.placeholder(int),
                  labels=100),
        network=dict(type="GanClassifier", stages=((16,), (32, 32)), outputs=10,
                     first_kernel=3, dropout=0.3, normalize=True),
        generator=dict(type="GanGenerator", hidden=(128, 128), normalize=True),
        inference=dict(type="GanInference", filters=(), hidden=(128, 128),
                       normalize=False),
        discriminator_xy=dict(type="GanDiscriminator", hidden=(128, 64),
                              input_noise=0.3, noise=0.3),
        discriminator_xz=dict(type="GanCodeDiscriminator", hidden=(128, 64),
                              code_hidden=(64,), input_noise=0.3),
        latent=10,
        likelihood=dict(type="Categorical"),
        method=dict(
            type="StructuredGAN",
            pseudo_share=dict(type="LinearRise", peak=0.8, start=500, length=2000),
            generated_share=0.0,
            generated_weight=dict(type="LinearRise", peak=0.1, start=2000, length=2000),
            label_weight=dict(type="LinearRise", peak=1.0, start=500, length=2000),
            entropy_weight=0.3, pretrain_steps=500, labelled_batch=32,
            augmentation=dict(type="RandomTranslation", height_factor=0.1,
                              width_factor=0.1, fill_mode="constant",
                              interpolation="nearest")),
        optimizer=dict(type="Adam", learning_rate=5e-4, beta_1=0.5),
        batch_size=64,
        epochs=200,
        calibrate=True))
    if variant == "smoke":
        config.data.update(limit=64, labels=32)
        config.network.update(stages=((4,), (8,)), normalize=False)
        config.generator.update(hidden=(8,), normalize=False)
        for part in (config.inference, config.discriminator_xy,
                     config.discriminator_xz):
            part.hidden = (8,)
        config.discriminator_xz.code_hidden = (8,)
        config.latent = 3
        # Unlike shifts, it can be compiled.
        with config.unlocked(), config.ignore_type():
            config.method.augmentation = dict(
                type="RandomBrightness", factor=0.1, value_range=(0.0, 1.0))
            config.method.pseudo_share = 0.5
            config.method.generated_weight = 0.1
            config.method.label_weight = 1.0
        config.method.update(pretrain_steps=0, generated_share=0.1)
        config.optimizer = dict(type="SGD", learning_rate=0.1)
        config.epochs = 1
    return config
