"""Robust accuracy by FGSM, then by PGD on the images that FGSM did not fool."""

from bdlzoo.attacks import FGSM, PGD
from bdlzoo.evaluation.robustness import robustness
from tools.benchmark.workers import attacked, protocol


def prepare(workload, mode, steps):
    del mode
    network, (x, y) = attacked.network(workload), attacked.rows(steps)
    attacks = {"fgsm": FGSM(attacked.EPSILON), "pgd": PGD(
        attacked.EPSILON, attacked.STEP_SIZE, attacked.NUM_STEPS,
        random_start=False)}
    found = {}

    def run():
        found.update(robustness(network, x, y, attacks, {"fgsm": "natural",
                                                         "pgd": "fgsm"}).accuracy())

    run.facts = lambda: {"robust accuracy": found["a_rob"]}
    return run


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
