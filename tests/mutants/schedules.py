"""One-line faults of `bdlzoo/schedules`, and the tests that must see them."""

MUTANTS = [
    ("exponential_fall.py", "tf.maximum(fallen", "tf.minimum(fallen",
     "tests/schedules/test_exponential_fall.py"),
    ("polynomial_steps.py", "tf.pow(fall, -self.power)", "tf.pow(fall, -0.5)",
     "tests/schedules/test_polynomial_steps.py"),
    ("cosine_cycles.py", "floormod(tf.cast(step, tf.int32), self.cycle_steps)",
     "minimum(tf.cast(step, tf.int32), self.cycle_steps - 1)",
     "tests/schedules/test_cosine_cycles.py"),
    ("exponential_rise.py", "passed >= 0.0",
     "passed > 0.0",
     "tests/schedules/test_exponential_rise.py"),
    ("exponential_rise.py", "tf.minimum(passed / float(self.length), 1.0)",
     "passed / float(self.length)",
     "tests/schedules/test_exponential_rise.py"),
    ("sigmoid_rise.py", "0.5 * self.sharpness",
     "self.sharpness",
     "tests/schedules/test_sigmoid_rise.py"),
]
