"""One-line faults of `bdlzoo/posthoc`, and the tests that must see them."""

MUTANTS = [
    ("calibration.py", "linear_threshold(store[place])", "store[place], 0.0",
     "tests/posthoc/test_calibration.py -k older"),
    ("temperature.py", "tf.exp(root.estimated_root)", "tf.exp(-root.estimated_root)",
     "tests/posthoc"),
    ("temperature.py", "        return 1.0", "        return 1e-3", "tests/posthoc"),
    ("calibration.py", "prediction.tempered(self.temperature)", "prediction",
     "tests/posthoc"),
    ("vector_scaling.py", "(gap * log_probs).sum(0)", "gap.sum(0)",
     "tests/posthoc/test_vector_scaling.py"),
    ("isotonic.py", "targets == label", "targets >= label",
     "tests/posthoc/test_isotonic.py"),
    ("conformal_sets.py", 'float(method != "lac")', 'float(method == "raps")',
     "tests/posthoc/test_conformal_sets.py"),
    ("conformal_interval.py", "np.abs(targets - mean)", "(targets - mean)",
     "tests/posthoc/test_conformal_interval.py"),
    ("calibration.py", "np.full(self.threshold.shape, np.inf)", "self.threshold",
     "tests/posthoc/test_calibration.py"),
]
