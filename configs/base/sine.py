"""One-dimensional toy problem with a gap in the data and noise that grows with x."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="sine", validation=0, num_train=400, num_test=400,
                  limit=config_dict.placeholder(int)),
        network=dict(type="MLP", hidden=(128, 128, 128), outputs=2, dropout=0.0),
        likelihood=dict(type="HeteroscedasticGaussian"),
        optimizer=dict(type="Adam", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=3e-3)),
        batch_size=40,
        epochs=400,
        calibrate=False,
    ))
