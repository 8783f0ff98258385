"""Training steps of all methods on a multilayer perceptron."""

from tools.benchmark import every_method

SECTION = every_method.training_steps("MLP 784-400-400-10", "mlp", 128, 1.0)
