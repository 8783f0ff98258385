"""Diabetes: MC dropout and one network with a Gaussian likelihood."""

from tools.reproduce.table import Row, Table

TABLE = Table(
    name="diabetes",
    title="Diabetes, Gaussian likelihood with learnt noise, 50 hidden units",
    subject="Regression and forecasts",
    metrics=("rmse_raw", "nll_raw", "crps", "coverage"),
    rows=(Row("MC dropout, 100 draws", "diabetes/mc_dropout.py"),
          Row("deterministic", "diabetes/deterministic.py")),
    note="Our own baseline, 88 test rows. RMSE and NLL are in raw units, the CRPS is "
         "that of standardised targets, the coverage that of the central 95 % "
         "interval.")
