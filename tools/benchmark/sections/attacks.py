"""PGD, beside that of adversarial-robustness-toolbox."""

from tools.benchmark.section import Agreement, Contender, Section, Target, Workload

SECTION = Section(
    title="PGD, beside adversarial-robustness-toolbox",
    note="Batches of 128 digits, enlarged to 28 x 28, in a ball of 0.3. An attack has "
         "20 steps of 0.03 from the image itself, and does all of them for every "
         "image, so that both sides must find the same. A step is a batch. All attack "
         "the same Keras network, which was trained against one step of such an "
         "attack. Ours is one graph of all steps; the toolbox gets the Keras model as "
         "it is. The last contender attacks survivors only: FGSM on the images that "
         "are classified correctly, then PGD on those that FGSM did not fool.",
    contenders={
        "ours": Contender("bdlzoo `PGD`", "pgd", ("graph",)),
        "art": Contender("adversarial-robustness-toolbox", "art_pgd", ("eager",),
                         role="library"),
        "survivors": Contender("bdlzoo `FGSM`, then `PGD` on survivors",
                               "pgd_survivors", ("graph",)),
    },
    workloads={
        "trades": Workload("the network of TRADES", share=0.4),
        "wong_kolter": Workload("the network of Wong and Kolter", share=0.4),
    },
    targets=(Target("trades", "art", 0.9), Target("wong_kolter", "art", 0.4)),
    agreements=tuple(Agreement(workload, "art", "robust accuracy", 0.01)
                     for workload in ("trades", "wong_kolter")),
)
