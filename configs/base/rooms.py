"""Two rooms with a door between them, a small perceptron as policy, Adam."""

from ml_collections import config_dict


def get_config():
    return config_dict.ConfigDict(dict(
        seed=0,
        world=dict(type="Rooms", num_rooms=2, room_size=4, door_bonus=0.3, goal=1.0,
                   view=7, horizon=config_dict.placeholder(int)),
        policy=dict(type="MLP", hidden=(64, 64)),
        optimizer=dict(type="Adam", learning_rate=3e-3),
        episodes=4800,
        test_episodes=200,
        epochs=20,
    ))
