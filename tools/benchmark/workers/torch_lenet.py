"""LeNet 20-50-500 in PyTorch, its images, and its predictions."""

import os

import torch
from torch import nn

from tools.benchmark.workers import training

ROWS = 256  # Images of a prediction, as in `draws.py`.


def network(subject):
    """LeNet with dropout before the last layer (`head`), or after `every` layer."""
    early = nn.Dropout if subject == "every" else lambda rate: nn.Identity()
    return nn.Sequential(
        nn.Conv2d(1, 20, 5), nn.MaxPool2d(2), early(0.5),
        nn.Conv2d(20, 50, 5), nn.MaxPool2d(2), early(0.5), nn.Flatten(),
        nn.Linear(800, 500), nn.ReLU(), nn.Dropout(0.5), nn.Linear(500, 10))


def images():
    """Images, channels first."""
    x = torch.from_numpy(training.images(ROWS))
    return x.permute(0, 3, 1, 2).contiguous()


def number(workload):
    """The number of draws of a workload such as `draws16`."""
    return int(workload.removeprefix("draws"))


def predictions(predict, mode, steps):
    """A callable that predicts `steps` times, on all cores or on one."""
    threads = 1 if mode == "one-core" else os.cpu_count()

    def run():
        torch.set_num_threads(threads)
        with torch.no_grad():
            for _ in range(int(steps)):
                predict()

    return run
