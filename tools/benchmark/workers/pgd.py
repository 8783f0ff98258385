"""PGD of the zoo: 20 steps from the image itself, batch by batch."""

from bdlzoo.attacks import PGD
from tools.benchmark.workers import attacked, protocol


def prepare(workload, mode, steps):
    del mode  # There is only one: a graph of all steps.
    network, (x, y) = attacked.network(workload), attacked.rows(steps)
    attack = PGD(attacked.EPSILON, attacked.STEP_SIZE, attacked.NUM_STEPS,
                 random_start=False)
    found = x.copy()

    def run():
        for first in range(0, len(x), attacked.BATCH_SIZE):
            part = slice(first, first + attacked.BATCH_SIZE)
            found[part] = attack(network, x[part], y[part])

    run.facts = lambda: {"robust accuracy": attacked.accuracy(network, found, y)}
    return run


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
