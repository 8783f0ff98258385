"""Training steps of SGLD in posteriors, and of SGD in torchopt, in an eager loop."""

import itertools
import os

import posteriors
import torch
import torchopt
from torch import nn

from tools.benchmark.workers import protocol, training

RATE = 0.025


def prepare(subject, workload, mode, steps):
    """`subject` is `sgld` or `sgd`; `workload` is one chain, `one`."""
    if workload != "one":
        raise ValueError(f"Expected one chain. Received: {workload}")
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
    x, y = map(torch.from_numpy, training.batches("mlp"))
    data = itertools.cycle(zip(x, y))
    call = posteriors.model_to_function(network)

    def log_posterior(weights, batch):
        outputs = call(weights, batch[0])
        loss = nn.functional.cross_entropy(outputs, batch[1])
        prior = posteriors.diag_normal_log_prob(weights) / training.NUM_DATA
        return prior - loss, outputs

    def loss(weights, batch):
        outputs = call(weights, batch[0])
        return nn.functional.cross_entropy(outputs, batch[1]), outputs

    chain = posteriors.sgmcmc.sgld.build(
        log_posterior, RATE, temperature=1.0 / training.NUM_DATA
    ) if subject == "sgld" else posteriors.torchopt.build(loss, torchopt.sgd(RATE))
    state = chain.init(dict(network.named_parameters()))
    threads = {"all-cores": os.cpu_count(), "one-core": 1}[mode]

    def run():
        nonlocal state
        torch.set_num_threads(threads)
        for batch in itertools.islice(data, int(steps)):
            state, _ = chain.update(state, batch)

    return run


if __name__ == "__main__":
    protocol.serve(prepare, "posteriors", "torchopt", "torch")
