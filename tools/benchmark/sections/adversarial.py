"""Training steps with an adversarial distribution, beside its gradients alone."""

from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Training steps with an adversarial distribution",
    note="Batches of 128 random rows in memory, Adam, cross entropy, no metrics but "
         "the loss. Timed is the compiled train function that `fit` calls, with all "
         "steps of a round in one call on both sides. A step of ours climbs 7 times "
         "with 2 draws and trains on a third. A step of the other takes 7 gradients "
         "with respect to the inputs, of as many rows, and makes one training step. "
         "The difference is the cost of noise, distributions and entropies. The "
         "target is for graph mode.",
    contenders={
        "ours": Contender("bdlzoo `AdversarialDistributionalTraining`, explicit",
                          "adversarial_distribution", ("graph",)),
        "passes": Contender("7 input gradients and a training step",
                            "input_gradients", ("graph",), role="other"),
    },
    workloads={
        "wong_kolter": Workload("the network of Wong and Kolter on 28 x 28",
                                share=0.5),
        "trades": Workload("the network of TRADES on 28 x 28", share=0.1),
    },
    targets=(Target("wong_kolter", "passes", 1.15),
             Target("trades", "passes", 1.15)),
)
