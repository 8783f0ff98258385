"""Fashion-MNIST, LeNet-5 of the uncertainty baselines, Adam with a cosine decay."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        data=dict(name="fashion_mnist", validation=2000,
                  limit=config_dict.placeholder(int)),
        network=dict(type="LeNet5", outputs=10, dropout=0.0),
        likelihood=dict(type="Categorical"),
        optimizer=dict(type="Adam", learning_rate=dict(
            type="CosineDecay", initial_learning_rate=3e-3)),
        batch_size=256,
        epochs=6,
        calibrate=True,
    ))
