"""Traffic of the next hour from calendar, weather and the last 24 hours.

Rows are in order of time: the first 70 % are for training, the next 10 % for
validation, the last 20 % for test. With `data.order="random"` the splits are random,
which is easier, as `bdlzoo/data/hourly.py` explains. No temperature is fitted, because
calibration is compared.
"""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="metro_traffic", validation=0.125, order="chronological",
                  lags=24, limit=config_dict.placeholder(int)),
        network=dict(type="MLP", hidden=(100, 100), outputs=2, dropout=0.0),
        likelihood=dict(type="HeteroscedasticGaussian"),
        optimizer=dict(type="Adam", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=3e-3)),
        batch_size=256,
        epochs=20,
        calibrate=False,
        metrics=(dict(type="RootMeanSquaredError", name="rmse"), dict(type="R2"),
                 dict(type="CWCE"), dict(type="EPIW"), dict(type="RCWCE")),
    ))
