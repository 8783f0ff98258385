"""One chain of this zoo's `SGLD`, whatever it is compared with."""

from tools.benchmark.workers import protocol, sgld


def prepare(workload, mode, steps):
    return sgld.chain_steps(workload, 1, mode, steps)


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
