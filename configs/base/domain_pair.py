"""Two sets of images of digits, LeNet with BatchNorm, SGD with momentum."""

from ml_collections import config_dict

from bdlzoo import runs


def get_config():
    config = runs.read_config("base/mnist.py")
    config.data.limit = 2000
    config.data.image_shape = (28, 28, 1)
    config.network = dict(type="BatchNormLeNet", outputs=10, dropout=0.0)
    with config.ignore_type():
        config.optimizer = dict(type="SGD", learning_rate=0.01, momentum=0.9)
    config.side_sets = dict(target=dict(
        name="usps", limit=1800, validation=0,
        class_counts=config_dict.placeholder(tuple)))
    config.data.class_counts = config_dict.placeholder(tuple)
    config.epochs = 100
    return config
