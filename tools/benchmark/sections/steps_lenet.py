"""Training steps of all methods on LeNet."""

from tools.benchmark import every_method

SECTION = every_method.training_steps(
    "LeNet 20-50-500 on 28 x 28", "lenet", 128, 0.25)
