r"""Adversarial distributional training on Fashion-MNIST, a small CNN.

    bdlzoo train --workdir=runs/adt \
        --config=fashion_mnist/adversarial_distributional_training.py

Each image has an explicit distribution;
`--config.method.distribution=explicit_amortized` or `implicit_amortized` trains a
generator instead.
"""

from ml_collections import config_dict

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/adversarial.py", "fashion_mnist")
    config.method.update(
        type="AdversarialDistributionalTraining", distribution="explicit",
        num_steps=7, num_train_samples=2, step_size=0.3, accumulate=True,
        entropy_weight=config_dict.placeholder(float), threshold=0.5, latent=64,
        generator=dict(type="PerturbationGenerator", width=8, stride=2),
        encoder=dict(type="PerturbationEncoder", filters=(16, 32)))
    config.adversary_optimizer = dict(type="Adam", learning_rate=1e-3, beta_1=0.5)
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
    return config
