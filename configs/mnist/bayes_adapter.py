r"""BayesAdapter on MNIST, from a LeNet that was trained before.

    bdlzoo train --config=mnist/deterministic.py --workdir=runs/map
    bdlzoo train --config=mnist/bayes_adapter.py \
        --workdir=runs/adapted --config.pretrained=runs/map

The model also learns to be uncertain on noise and on attacked images.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/bayes_adapter.py", "mnist")
    config.method.update(log_scale=(-5.0, -4.0), uncertain=(
        dict(type="UniformNoise"), dict(type="FGSM", epsilon=0.15)))
    config.batch_size, config.epochs = 64, 1
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.method.update(allow_untrained=True, num_samples=4)
    return config
