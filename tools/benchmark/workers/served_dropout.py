"""Requests to a served LeNet with MC dropout, 32 draws an answer."""

from bdlzoo import methods, networks
from tools.benchmark.workers import protocol, served, training


def prepare(workload, mode, steps):
    network = networks.LeNet(training.SHAPES["lenet"], dropout=0.5)
    model = methods.MCDropout(network, num_samples=32, seed=0)
    return served.requests_of(model, workload, mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
