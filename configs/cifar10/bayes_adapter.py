r"""BayesAdapter on CIFAR-10, from a ResNet-20 that was trained before.

    bdlzoo train --config=cifar10/deterministic.py --workdir=runs/map
    bdlzoo train --config=cifar10/bayes_adapter.py \
        --workdir=runs/adapted --config.pretrained=runs/map

For a machine with an accelerator; two cores take hours.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/bayes_adapter.py", "cifar10")
    config.method.update(
        batch_norm=True, uncertain=(dict(type="UniformNoise", epsilon=8 / 255),))
    config.epochs = 6
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.method.update(allow_untrained=True, num_samples=4)
    return config
