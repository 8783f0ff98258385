"""One-line faults of `bdlzoo/likelihoods`, and the tests that must see them."""

MUTANTS = [
    ("categorical.py", "tf.nn.log_softmax(self._logits(draws))",
     "tf.nn.log_softmax(tf.reduce_mean(self._logits(draws), 0)[None])",
     "tests/likelihoods/test_categorical.py"),
    ("bernoulli.py", "[-logits, logits]", "[logits, -logits]",
     "tests/likelihoods/test_bernoulli.py"),
    ("gaussian.py", "self._scale(draws)**2", "self._scale(draws)",
     "tests/likelihoods/test_gaussian.py"),
    ("gaussian.py", "trainable=self.learn_noise", "trainable=False",
     "tests/likelihoods/test_gaussian.py"),
    ("heteroscedastic_gaussian.py", "tf.nn.softplus(raw) + 1e-6", "tf.exp(raw)",
     "tests/likelihoods/test_heteroscedastic_gaussian.py"),
    ("likelihood.py", "(targets >= num_classes)", "(targets > num_classes)",
     "tests/likelihoods/test_categorical.py"),
    ("gaussian.py", "tf.tile(scale, [tf.shape(outputs)[-2] // self.copies, 1])",
     "tf.repeat(scale, tf.shape(outputs)[-2] // self.copies, 0)",
     "tests/likelihoods/test_gaussian.py -k side"),
]
