"""Training steps and draws with Flipout of bayesian-torch, in an eager loop."""

import itertools
import os

import torch
from bayesian_torch.layers import Conv2dFlipout, LinearFlipout
from torch import nn

from tools.benchmark.workers import protocol, torch_lenet, training


class Network(nn.Module):
    """Runs layers in turn, and sums the KL divergences that they return."""

    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        kl = 0.0
        for layer in self.layers:
            x = layer(x)
            if isinstance(x, tuple):
                x, divergence = x
                kl = kl + divergence
        return x, kl


def _mlp():
    return Network(LinearFlipout(784, 400), nn.ReLU(), LinearFlipout(400, 400),
                   nn.ReLU(), LinearFlipout(400, 10))


def _lenet():
    return Network(Conv2dFlipout(1, 20, 5), nn.MaxPool2d(2), Conv2dFlipout(20, 50, 5),
                   nn.MaxPool2d(2), nn.Flatten(), LinearFlipout(800, 500), nn.ReLU(),
                   LinearFlipout(500, 10))


def prepare(workload, mode, steps):
    torch.manual_seed(0)
    if workload.startswith("draws"):
        return _draws(workload, mode, steps)
    threads = {"all-cores": os.cpu_count(), "one-core": 1}[mode]
    network = {"mlp": _mlp, "lenet": _lenet}[workload]()
    x, y = map(torch.from_numpy, training.batches(workload))
    if workload == "lenet":
        x = x.permute(0, 1, 4, 2, 3).contiguous()  # Channels first.
    data = itertools.cycle(zip(x, y))
    optimizer = torch.optim.Adam(network.parameters())

    def run():
        torch.set_num_threads(threads)
        for inputs, labels in itertools.islice(data, int(steps)):
            optimizer.zero_grad()
            logits, kl = network(inputs)
            loss = nn.functional.cross_entropy(logits, labels)
            (loss + kl / training.NUM_DATA).backward()
            optimizer.step()

    return run


def _draws(workload, mode, steps):
    network, images = _lenet().eval(), torch_lenet.images()
    count = torch_lenet.number(workload)
    return torch_lenet.predictions(
        lambda: torch.stack([network(images)[0] for _ in range(count)]), mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "bayesian-torch", "torch")
