"""Training steps of all methods on ResNet-20."""

from tools.benchmark import every_method

SECTION = every_method.training_steps("ResNet-20 on 32 x 32", "resnet20", 32, 0.1)
