"""CamVid at 48 x 64 pixels, 11 classes, U-Net, Adam; void pixels do not count.

Classes are weighed by median frequency, and images are flipped and zoomed. For the
size of the file, `--config.data.size=96,128`.
"""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="camvid", size=(48, 64), limit=config_dict.placeholder(int)),
        network=dict(type="UNet", outputs=11, filters=(16, 32, 64, 64), dropout=0.3,
                     backbone=config_dict.placeholder(str),
                     backbone_weights=config_dict.placeholder(str)),
        likelihood=dict(type="Categorical", ignore_class=11),
        optimizer=dict(type="Adam", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=2e-3)),
        augmentation=dict(type="PairedAugmentation", flip=0.5, zoom=0.3),
        class_weight=config_dict.placeholder(str),
        batch_size=8,
        epochs=60,
        calibrate=False,
    ))
