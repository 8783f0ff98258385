"""A step of a discrete VAE: direct optimisation, enumeration, and a Gaussian code."""

from tools.benchmark.section import Contender, Section, Target, Workload

_MODES = ("graph", "xla")

SECTION = Section(
    title="A step of a discrete VAE",
    note="Batches of 100 random rows of 784 pixels, 300 hidden units on both sides, "
         "Adam; one variable of ten values, or a Gaussian code of ten numbers. Timed "
         "is the compiled train function that `fit` calls, with all steps of a round "
         "in one call. The best way of each is compared.",
    contenders={
        "direct": Contender("bdlzoo `DiscreteVAE`, direct optimisation",
                            "discrete_steps", _MODES, "direct"),
        "exact": Contender("bdlzoo `DiscreteVAE`, exact", "discrete_steps", _MODES,
                           "exact", role="other"),
        "vae": Contender("bdlzoo `VAE`", "discrete_steps", _MODES, "vae",
                         role="other"),
    },
    workloads={"step": Workload("784-300-10-300-784: a training step")},
    targets=(Target("step", "exact", 1.3), Target("step", "vae", 1.2)),
)
