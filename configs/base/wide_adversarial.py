"""Settings of all runs of WRN-28-10 with an adversary on CIFAR-10, as published.

SGD at 0.1 with momentum, weight decay of 2e-4, batches of 64, a radius of 8/255; the
rate falls to a tenth after 75 epochs, and the training stops after 76.
"""

from bdlzoo import runs

ROWS = 50_000
STEPS = -(-ROWS // 64)  # Of an epoch.


def get_config(variant="full"):
    config = runs.read_config("base/adversarial.py", "cifar10")
    config.data.validation = 0
    config.network = dict(type="WideResNet", depth=28, width=10, outputs=10,
                          dropout=0.0)
    config.method.update(warm_up=0.0, prior_scale=(2e-4 * ROWS) ** -0.5)
    config.optimizer.nesterov = False
    config.optimizer.learning_rate = dict(
        type="PiecewiseConstantDecay", boundaries=(75 * STEPS,), values=(0.1, 0.01))
    config.batch_size, config.epochs = 64, 76
    if variant == "smoke":
        config.data.limit, config.epochs = 64, 1
        config.network.update(depth=10, width=1)
    return config
