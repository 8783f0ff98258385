"""Breast cancer: benign or malignant, from thirty standardised measurements."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="breast_cancer", validation=0.1,
                  limit=config_dict.placeholder(int)),
        network=dict(type="MLP", hidden=(50,), outputs=1, dropout=0.0),
        likelihood=dict(type="Bernoulli"),
        optimizer=dict(type="Adam", learning_rate=1e-3),
        batch_size=32,
        epochs=30,
        calibrate=True,
    ))
