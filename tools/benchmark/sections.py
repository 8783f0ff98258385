"""The sections that `tools.benchmark` knows: who is timed at what, and targets."""

from tools.benchmark import zoo_sections
from tools.benchmark.section import Agreement, Contender, Section, Target, Workload

_KERAS = zoo_sections.KERAS

SECTIONS = {
    **zoo_sections.SECTIONS,
    "flipout": Section(
        title="Training steps with Flipout",
        note="Batches of 128 random rows in memory, Adam, cross entropy, one "
             "draw a step, the KL divergence over 60,000 in the loss of every "
             "Flipout contender; no metrics but the loss. Keras contenders: the "
             "compiled train function that `fit` calls, fed from an in-memory "
             "`tf.data` pipeline, all steps of a repeat in one call "
             "(`steps_per_execution`), so that the callbacks of an epoch count "
             "for none. bayesian-torch: a plain eager loop on ready tensors; "
             "its biases are random too, those of the others are not.",
        contenders={
            "ours": Contender("bdlzoo `MeanFieldVI`", "flipout", _KERAS),
            "deterministic": Contender("deterministic Keras", "deterministic",
                                       _KERAS),
            "tfp": Contender("`tfp.layers` under `tf_keras`", "tfp_layers", _KERAS),
            # Threads that wait by spinning lose to one where cores are shared.
            "torch": Contender("bayesian-torch", "bayesian_torch",
                               ("all-cores", "one-core")),
        },
        workloads={
            "mlp": Workload("MLP 784-400-400-10, ReLU: `DenseFlipout`"),
            "lenet": Workload("LeNet 20-50-500 on 28 x 28: `Conv2DFlipout` and "
                              "`DenseFlipout`", share=0.25),
        },
        targets=(Target("mlp", "tfp", 0.5), Target("mlp", "torch", 0.7),
                 Target("mlp", "deterministic", 2.1),
                 Target("lenet", "torch", 0.75),
                 Target("lenet", "deterministic", 2.2)),
    ),
    "ensemble": Section(
        title="Five members of a deep ensemble",
        note="Batches of 128 random rows a member, Adam, cross entropy, no metrics "
             "but the loss; the compiled train function that `fit` calls, all "
             "steps of a repeat in one call on both sides. Members have rows of "
             "their own. Five separate networks take five times the lines of the "
             "one network.",
        contenders={
            "ours": Contender("bdlzoo `DeepEnsemble`, five members", "deep_ensemble",
                              _KERAS),
            "one": Contender("one network, plain Keras", "deterministic", _KERAS),
        },
        workloads={
            "mlp": Workload("MLP 784-400-400-10, ReLU: a training step"),
            "lenet": Workload("LeNet 20-50-500 on 28 x 28: a training step",
                              share=0.25),
            "mlp_predict": Workload("MLP 784-400-400-10, ReLU: `predict`, a batch"),
        },
        targets=(Target("mlp", "one", 4.2), Target("lenet", "one", 5.0),
                 Target("mlp_predict", "one", 3.0)),
    ),
    "alpha": Section(
        title="Ten draws a step of alpha-divergence dropout",
        note="Batches of 128 random rows, dropout on the input too, Adam, cross "
             "entropy, no metrics but the loss; the compiled train function that "
             "`fit` calls, all steps of a repeat in one call on both sides. A step "
             "of ours has ten draws; one of the other is ten steps of one draw "
             "each, on batches of their own. The target is for graph mode; the "
             "lines of XLA stand beside it.",
        contenders={
            "ours": Contender("bdlzoo `AlphaDivergenceDropout`, ten draws",
                              "alpha_divergence", ("graph",)),
            "ten": Contender("ten steps of one draw, bdlzoo `MCDropout`",
                             "single_draws", ("graph",)),
            # Apart, so that the best mode of each is not what is compared.
            "ours_xla": Contender("ours, compiled", "alpha_divergence", ("xla",)),
            "ten_xla": Contender("the ten steps, compiled", "single_draws",
                                 ("xla",)),
        },
        workloads={
            "mlp": Workload("MLP 784-256-256-10, ReLU: a training step",
                            share=0.25),
        },
        targets=(Target("mlp", "ten", 0.6),),
    ),
    "sampler": Section(
        title="Steps of SGLD",
        note="784-100-10, batches of 128 random rows in memory, cross entropy, no "
             "metrics but the loss; the compiled train function that `fit` calls, "
             "all steps of a repeat in one call on both sides. A step of ours draws "
             "the noise of all weights, adds the prior and keeps a sample in 20 "
             "steps; one of the other is plain SGD. Five chains have rows of their "
             "own, from the pipeline of `fit`, and so has the one beside them. Graph "
             "mode and XLA are compared apart. posteriors: a plain eager loop on "
             "ready tensors, with the prior in its posterior; its SGD is "
             "that of torchopt.",
        contenders={
            "ours": Contender("bdlzoo `SGLD`", "sgld", ("graph",)),
            "sgd": Contender("plain Keras SGD, one network", "plain_sgd",
                             ("graph",)),
            "chain": Contender("bdlzoo `SGLD`, one chain", "one_chain", ("graph",)),
            "ours_xla": Contender("ours, compiled", "sgld", ("xla",)),
            "sgd_xla": Contender("plain SGD, compiled", "plain_sgd", ("xla",)),
            "posteriors": Contender("posteriors, SGLD", "posteriors",
                                    zoo_sections.TORCH, "sgld"),
            "posteriors_sgd": Contender("posteriors, SGD of torchopt", "posteriors",
                                        zoo_sections.TORCH, "sgd"),
        },
        workloads={
            "one": Workload("one chain", share=10.0),
            "five": Workload("five chains side by side", share=10.0),
        },
        targets=(Target("one", "sgd", 1.3),
                 Target("one", "sgd_xla", 2.0, ours="ours_xla"),
                 Target("one", "sgd", 1.0, rivals=("posteriors", "posteriors_sgd")),
                 Target("five", "chain", 4.2)),
    ),
    "serving": Section(
        title="Answers of a served LeNet",
        note="A SavedModel, loaded by a session as TF Serving does it, asked by its "
             "signature serving_default: the time inside the server, without the "
             "network. Dropout of 0.5 before the last layer; what comes before it "
             "runs once for all draws. A step is a request. Compiled answers are "
             "compiled once for each size of a batch, before they are timed.",
        contenders={
            "ours": Contender("bdlzoo `MCDropout`, 32 draws", "served_dropout", _KERAS),
            "one": Contender("bdlzoo `Deterministic`, one network",
                             "served_deterministic", _KERAS),
        },
        workloads={
            "one": Workload("One image of 28 x 28 a request"),
            "many": Workload("32 images a request", share=0.5),
        },
        targets=(Target("one", "one", 3.0),),
    ),
    "input": Section(
        title="Steps that wait for their data",
        note="Batches of 128 rows of 60,000, Adam, cross entropy, no metrics but the "
             "loss; the compiled train function that `fit` calls, all steps of a "
             "repeat in one call on both sides. Ours has the pipeline that `fit` "
             "makes of arrays (an order for each epoch, rows gathered and fetched "
             "ahead); the other repeats one batch that is in memory. The share of "
             "the time that steps wait for rows is one minus one over the ratio of "
             "ours to the other.",
        contenders={
            "ours": Contender("bdlzoo, rows in an order of their own", "shuffled_rows",
                              ("graph",)),
            "ready": Contender("bdlzoo, one batch again and again", "ready_batches",
                               ("graph",)),
        },
        workloads={
            "mlp": Workload("MLP 784-400-400-10, ReLU: a training step"),
            "lenet": Workload("LeNet 20-50-500 on 28 x 28: a training step",
                              share=0.25),
        },
        targets=(Target("mlp", "ready", 1.1), Target("lenet", "ready", 1.1)),
    ),
    "exemplar": Section(
        title="A weight draw for each row",
        note="LeNet 20-50-500, batches of 64 random rows in memory, cross entropy, no "
             "metrics but the loss; the compiled train function that `fit` calls, all "
             "steps of a repeat in one call on both sides. A step of ours has a "
             "kernel for each row, the prior, and two optimisers; one of the other is "
             "that of the plain network.",
        contenders={
            "ours": Contender("bdlzoo `BayesAdapter`, exemplar", "bayes_adapter",
                              _KERAS),
            "deterministic": Contender("deterministic Keras", "deterministic",
                                       _KERAS),
        },
        workloads={
            "lenet64": Workload("LeNet 20-50-500 on 28 x 28: a training step",
                                share=0.5),
        },
        targets=(Target("lenet64", "deterministic", 4.0),),
    ),
    "dbsn": Section(
        title="Cells of grouped operations, and the cost of a structure",
        note="Batches of 128 random images in memory, SGD with momentum, cross "
             "entropy, no metrics but the loss; the compiled train function that `fit` "
             "calls, all steps of a repeat in one call on all sides. A step of ours "
             "draws one structure and moves its logits by Adam. With one operation an "
             "edge, the network of the same outputs is made of plain Keras layers, and "
             "learns its mixing weights without a draw; with a fixed structure it is "
             "ours without draws. XLA is left out: it "
             "takes ten times as long for these convolutions on a CPU.",
        contenders={
            "ours": Contender("bdlzoo `DBSN`", "dbsn", ("graph",)),
            "edges": Contender("one operation an edge, plain Keras", "single_edges",
                               ("graph",)),
            "fixed": Contender("fixed structure, grouped", "fixed_structure",
                               ("graph",)),
        },
        workloads={
            "cell": Workload("the published cell, 7 nodes, growth 16, on 8 x 8 "
                             "pixels", share=0.5),
            "fashion": Workload("4 cells with 4 nodes, growth 8, on 14 x 14 and 7 x 7 "
                                "pixels", share=0.25),
        },
        targets=(Target("cell", "edges", 0.5), Target("cell", "fixed", 1.15),
                 Target("fashion", "fixed", 1.15)),
    ),
    "attacks": Section(
        title="PGD against adversarial-robustness-toolbox",
        note="Batches of 128 digits, enlarged to 28 x 28, in a ball of 0.3; 20 steps "
             "of 0.03 from the image itself, all of them, whether it is fooled or not, "
             "so that both sides must find the same. A step is a batch. All attack the "
             "same Keras network, which was trained against one step of such an "
             "attack. Ours is one graph of all steps; the toolbox gets the Keras model "
             "as it is. Apart: ours on survivors only, robust accuracy by FGSM on what "
             "is right and PGD on what that has left.",
        contenders={
            "ours": Contender("bdlzoo `PGD`", "pgd", ("graph",)),
            "art": Contender("adversarial-robustness-toolbox", "art_pgd", ("eager",)),
            "survivors": Contender("ours, survivors only", "pgd_survivors",
                                   ("graph",)),
        },
        workloads={
            "trades": Workload("the network of TRADES", share=0.4),
            "wong_kolter": Workload("the network of Wong and Kolter", share=0.4),
        },
        targets=(Target("trades", "art", 0.9), Target("wong_kolter", "art", 0.4)),
        agreements=tuple(Agreement(workload, "art", "robust accuracy", 0.01)
                         for workload in ("trades", "wong_kolter")),
    ),
    "adversarial": Section(
        title="The step of an adversarial distribution",
        note="Batches of 128 random rows in memory, Adam, cross entropy, no metrics "
             "but the loss; the compiled train function that `fit` calls, all steps of "
             "a repeat in one call on both sides. A step of ours climbs 7 times with "
             "2 draws and trains on a third; one of the other takes 7 gradients in the "
             "inputs, of as many rows, and makes one training step: what remains is "
             "the cost of noise, laws and entropies. The target is for graph mode.",
        contenders={
            "ours": Contender("bdlzoo `AdversarialDistributionalTraining`, explicit",
                              "adversarial_law", ("graph",)),
            "passes": Contender("7 input gradients and a training step",
                                "input_gradients", ("graph",)),
        },
        workloads={
            "wong_kolter": Workload("the network of Wong and Kolter on 28 x 28",
                                    share=0.5),
            "trades": Workload("the network of TRADES on 28 x 28", share=0.1),
        },
        targets=(Target("wong_kolter", "passes", 1.15),
                 Target("trades", "passes", 1.15)),
    ),
}
