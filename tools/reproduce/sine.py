"""A sine on one input, with noise that grows: MC dropout and one network."""

from tools.reproduce.table import Row, Table

TABLE = Table(
    name="sine",
    title="One-dimensional toy, heteroscedastic Gaussian likelihood",
    subject="Toys",
    metrics=("rmse", "nll", "crps", "coverage"),
    rows=(Row("MC dropout, 100 draws", "sine/mc_dropout.py"),
          Row("deterministic", "sine/deterministic.py")),
    note="Our own baseline. The coverage is that of the central 95 % interval.",
    figures=("heteroscedastic_toy.png",))
