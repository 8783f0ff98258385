"""One-line faults of `bdlzoo/sklearn`, and the tests that must see them."""

MUTANTS = [
    ("estimator.py", "epochs=self.epochs, sample_weight=weights,",
     "epochs=self.epochs,", "tests/sklearn/test_classifier.py -k weight_zero"),
    ("estimator.py", "(x - self._center) / self._scale", "(x - self._center)",
     "tests/sklearn/test_classifier.py -k units"),
    ("classifier.py", "self.classes_[np.argmax(probabilities, axis=1)]",
     "self.classes_[np.argmin(probabilities, axis=1)]",
     "tests/sklearn/test_classifier.py -k labels"),
    ("regressor.py", "values + self._target_center if center else values",
     "values + self._target_center", "tests/sklearn/test_regressor.py -k units"),
    ("regressor.py", "range(size, _MOST * size + 1, size)", "range(size, size + 1)",
     "tests/sklearn/test_regressor.py -k likelihoods"),
    ("default_network.py", "network, noise.key(seed, noise.INITIAL)))",
     "network, noise.key(0, noise.INITIAL)))",
     "tests/sklearn/test_default_network.py -k seed"),
]
