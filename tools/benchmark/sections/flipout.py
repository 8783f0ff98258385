"""Training steps with Flipout, beside `tfp.layers` and bayesian-torch."""

from tools.benchmark.modes import KERAS, TORCH
from tools.benchmark.section import Contender, Section, Target, Workload

SECTION = Section(
    title="Training steps with Flipout",
    note="Batches of 128 random rows in memory, Adam, cross entropy, one draw a step. "
         "The loss of every Flipout contender has the KL divergence over 60,000. No "
         "metrics but the loss. Keras contenders: the compiled train function that "
         "`fit` calls, fed from an in-memory `tf.data` pipeline, with all steps of a "
         "round in one call (`steps_per_execution`), so that the callbacks of an "
         "epoch do not count. bayesian-torch: a plain eager loop on ready tensors; "
         "its biases are random too, those of the others are not.",
    contenders={
        "ours": Contender("bdlzoo `MeanFieldVI`", "flipout", KERAS),
        "deterministic": Contender("plain Keras", "deterministic", KERAS,
                                   role="plain"),
        "tfp": Contender("`tfp.layers` under `tf_keras`", "tfp_layers", KERAS,
                         role="library"),
        "torch": Contender("bayesian-torch", "bayesian_torch", TORCH,
                           role="library"),
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
)
