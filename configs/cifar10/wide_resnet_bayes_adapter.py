r"""BayesAdapter on CIFAR-10, from a WRN-28-10, with the published hyper-parameters.

    bdlzoo train --config=cifar10/wide_resnet.py --workdir=runs/wide
    bdlzoo train --config=cifar10/wide_resnet_bayes_adapter.py \
        --workdir=runs/adapted --config.pretrained=runs/wide

For a machine with a GPU. The published accuracy is 0.9709 (0.9692 before). There,
images are also flipped and shifted, and half of the inputs that should be uncertain are
1,000 images of a GAN. Such images can be given as a data set of TFDS with
`--config.side_sets.uncertain_inputs`. A kernel for each of 128 rows would take 19 GB
here, so that most layers use Flipout.

Reference: Deng et al., BayesAdapter: Being Bayesian, Inexpensively and Reliably, via
Bayesian Fine-tuning, ACML 2022, and its released code.
"""

from bdlzoo import runs

STEPS = -(-50_000 // 128)  # Of an epoch.


def get_config(variant=""):
    config = runs.read_config("base/bayes_adapter.py", "cifar10")
    config.data.validation = 0
    config.network = dict(type="WideResNet", depth=28, width=10, outputs=10,
                          dropout=0.0)
    config.method.update(
        weight_decay=2e-4, batch_norm=True, margin=0.75, num_samples=100,
        uncertain=(dict(type="UniformNoise", epsilon=0.031),))
    config.optimizer.learning_rate = 8e-4  # Where training ended.
    config.scale_optimizer = dict(
        type="SGD", momentum=0.9, nesterov=True, learning_rate=dict(
            type="PiecewiseConstantDecay",
            boundaries=(10 * STEPS, 20 * STEPS, 30 * STEPS),
            values=(0.1, 0.02, 0.004, 0.0008)))
    config.epochs = 40
    config.calibrate = False
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.network.update(depth=10, width=1)
        config.method.update(allow_untrained=True, num_samples=4)
    return config
