"""Settings of all runs that learn from few labels; the variant is the data set.

`data.labels` rows keep their label. A batch has `labelled_batch` of them, and
`batch_size` rows without one.
"""

from ml_collections import config_dict

from bdlzoo import runs

_SHIFT = dict(type="RandomTranslation", fill_mode="constant", interpolation="nearest")


def get_config(variant):
    config = runs.read_config(f"base/{variant}.py")
    config.method = dict(
        consistency_weight=20.0, ramp_steps=500, input_noise=0.1,
        augmentation=dict(height_factor=0.1, width_factor=0.1, **_SHIFT),
        labelled_batch=32, num_samples=32, prior_scale=config_dict.placeholder(float))
    if variant == "digits":
        config.data.labels = 100
        config.network.update(filters=(16, 32), hidden=(64,), dropout=0.5)
        config.batch_size, config.epochs = 64, 60
    if variant == "mnist":
        config.data.labels = 100
        config.network.dropout = 0.5
        config.method.update(ramp_steps=1500, input_noise=0.15)
        config.batch_size, config.epochs = 100, 6
    if variant == "cifar10":
        config.data.labels = 1000
        config.network = dict(type="LeNet", outputs=10, dropout=0.5)
        config.method.update(ramp_steps=1500, input_noise=0.1, labelled_batch=50)
        config.batch_size, config.epochs = 100, 30
    config.optimizer = dict(type="Adam", learning_rate=dict(
        type="RampUpDown", peak=2e-3, up=0.1, down=0.25))
    return config
