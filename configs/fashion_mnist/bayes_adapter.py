r"""BayesAdapter on Fashion-MNIST, from a network that was trained before.

    bdlzoo train --config=fashion_mnist/bayes_adapter.py \
        --workdir=runs/adapted --config.pretrained=mine.keras

`mine.keras` is any saved classifier of Keras for 28 x 28 x 1 pixels in [0, 1]. Add
`--config.likelihood.from_logits=False` if it ends in a softmax.
"""

from bdlzoo import runs


def get_config(variant=""):
    config = runs.read_config("base/bayes_adapter.py", "fashion_mnist")
    # Chosen for the network of `tools.reproduce.adapted_fashion`. One epoch is
    # short: at the published start and rate the scales would stay as they are.
    config.method.update(log_scale=(-3.5, -3.0))
    config.scale_optimizer.learning_rate = 10.0
    config.batch_size, config.epochs = 128, 1
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.method.update(allow_untrained=True, num_samples=4)
    return config
