"""Alpha-divergence dropout on UCI regression sets, alphas from 0 to 1."""

from tools.reproduce import uci
from tools.reproduce.table import Row, Table


def _table(name):
    return Table(
        name=f"alpha_{name}",
        title=f"Alpha-divergence dropout, {name}, 20 folds, 400 epochs",
        subject="Regression and forecasts",
        metrics=uci.METRICS,
        rows=tuple(Row(f"alpha = {alpha:g}", "uci/alpha_divergence_dropout.py",
                       changes={"data.name": uci.SETS[name], "method.alpha": alpha})
                   for alpha in (0.0, 0.5, 1.0)),
        note="Our own table; no figures of the paper were available. 50 units, 10 "
             "draws a step, rate and precision of MC dropout. RMSE and negative "
             "log-likelihood of the mixture are in raw units, means over folds, with "
             "standard errors. `--compare` adds paired tests over folds against "
             "alpha = 0.",
        num_seeds=1, few_seeds=uci.FOLDS)


TABLES = tuple(_table(name) for name in ("boston", "concrete", "wine", "yacht"))
