"""Scenes of shapes, 48 x 48 pixels with a class each, U-Net, Adam."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="scenes", validation=64, num_train=576, num_test=256,
                  size=(48, 48), strange=0.5, limit=config_dict.placeholder(int)),
        network=dict(type="UNet", outputs=4, filters=(12, 24, 48), dropout=0.5),
        # 255 marks the shape that no training scene has.
        likelihood=dict(type="Categorical", ignore_class=255),
        optimizer=dict(type="Adam", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=2e-3)),
        batch_size=16,
        epochs=30,
        calibrate=False,
    ))
