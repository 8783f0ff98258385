"""Requests to a served LeNet without noise."""

from bdlzoo import methods, networks
from tools.benchmark.workers import protocol, served, training


def prepare(workload, mode, steps):
    model = methods.Deterministic(networks.LeNet(training.SHAPES["lenet"]), seed=0)
    return served.requests_of(model, workload, mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
