"""One-line faults of `bdlzoo/runs`, and the tests that must see them."""

MUTANTS = [
    ("run.py", 'checkpoint.restore(model, self.workdir / "checkpoints")', "None",
     "tests/runs/test_run.py -m slow -k replicas"),
    ("folds.py", "argmin(axis=1)", "argmax(axis=1)",
     "tests/runs/test_folds.py -k held_out"),
    ("folds.py", "elif values[key] is None:", "else:",
     "tests/runs/test_folds.py -k keys"),
    ("build.py", "np.sqrt(config.precision) * np.asarray(target_std)",
     "np.sqrt(config.precision) + 0 * np.asarray(target_std)",
     "tests/runs/test_folds.py -k each_of_them"),
    ("run.py", 'metrics["epiw"] * scale[1]', 'metrics["epiw"] * scale[0]',
     "tests/runs/test_run.py -k names_the_metrics"),
    ("build.py", 'plain(config).get("metrics")', "None",
     "tests/runs/test_run.py -k names_the_metrics"),
    ("build.py", "model.network if isinstance(model, PredictiveModel) else model",
     "model", "tests/runs/test_build.py -k of_a_run"),
    ("run.py", "if there != here:", "if False:",
     "tests/runs/test_run.py -k other_config"),
    ("run.py", 'metrics["rmse"] * scale[1]', 'metrics["rmse"] * scale[0]',
     "tests/runs/test_run.py -k raw"),
]
