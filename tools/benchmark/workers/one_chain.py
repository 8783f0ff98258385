"""Training steps of one chain of `SGLD`, for every workload."""

from tools.benchmark.workers import protocol, sgld


def prepare(workload, mode, steps):
    return sgld.chain_steps(workload, 1, mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
