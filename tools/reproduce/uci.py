"""UCI regression sets on their published folds: MC dropout and other methods."""

from tools.reproduce.table import Row, Table

SETS = {"boston": "uci/bostonHousing", "concrete": "uci/concrete",
        "wine": "uci/wine-quality-red", "yacht": "uci/yacht",
        "power": "uci/power-plant", "naval": "uci/naval-propulsion-plant",
        "protein": "uci/protein-tertiary-structure"}
METRICS = ("rmse", "rmse_error", "nll", "nll_error")
FOLDS = "the folds of the standard splits take the place of seeds."

TABLES = (
    Table(
        name="uci",
        title="UCI regression, MC dropout, the released protocol",
        subject="Regression and forecasts",
        metrics=METRICS,
        rows=tuple(Row(name, "uci/mc_dropout.py", dict(rmse=rmse, nll=nll),
                       {"data.name": SETS[name]})
                   for name, rmse, nll in (
                       ("boston", 2.904, 2.402), ("concrete", 4.826, 2.937),
                       ("power", 4.014, 2.808), ("protein", 4.274, 2.871),
                       ("wine", 0.622, 0.928), ("yacht", 0.666, 1.250),
                       ("naval", 0.00074, -4.450))),
        note="Published: what the authors logged (Gal and Ghahramani, 2016, released "
             "code), as means over folds. One hidden layer of 50 units (protein: 100), "
             "20 folds (5), 4,000 epochs (2,000). They chose rate and precision for "
             "each fold, we once, on fold 0; they have 10,000 draws, we 1,000. RMSE "
             "and negative log-likelihood of the mixture are in raw units, with "
             "standard errors over folds. With `--jobs=2` it is twice as fast.",
        num_seeds=1, few_seeds=FOLDS,
        headline=(("boston", "rmse"), ("concrete", "rmse"), ("yacht", "rmse"))),
    Table(
        name="uci_methods",
        title="UCI regression, other methods, 400 epochs",
        subject="Regression and forecasts",
        metrics=METRICS,
        rows=tuple(Row(f"{name}, {label}", f"uci/{method}.py",
                       changes={"data.name": SETS[name]})
                   for name in ("boston", "concrete", "wine", "yacht")
                   for label, method in (
                       ("one network", "deterministic"),
                       ("deep ensemble, 5 members", "deep_ensemble"),
                       ("Flipout", "mean_field_vi"))),
        note="Our own table; compare it with those of alpha-divergence dropout: "
             "[boston](alpha_boston.md), [concrete](alpha_concrete.md), "
             "[wine](alpha_wine.md), [yacht](alpha_yacht.md). One network and the deep "
             "ensemble have a head for the noise, Flipout one learnt noise. 50 units, "
             "20 folds.",
        num_seeds=1, few_seeds=FOLDS))
