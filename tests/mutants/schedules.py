"""One-line faults of `bdlzoo/schedules`, and the tests that must see them."""

MUTANTS = [
    ("exponential_fall.py", "tf.maximum(fallen", "tf.minimum(fallen",
     "tests/schedules/test_exponential_fall.py"),
    ("polynomial_steps.py", "tf.pow(fall, -self.power)", "tf.pow(fall, -0.5)",
     "tests/schedules/test_polynomial_steps.py"),
    ("cosine_cycles.py", "floormod(tf.cast(step, tf.int32), self.cycle_steps)",
     "minimum(tf.cast(step, tf.int32), self.cycle_steps - 1)",
     "tests/schedules/test_cosine_cycles.py"),
    ("ramp_up.py", "tf.maximum(left, 0.0)", "left",
     "tests/schedules/test_ramp_up.py"),
    ("ramp_up.py", "-5.0 * tf.square(left)", "-5.0 * left",
     "tests/schedules/test_ramp_up.py"),
    ("ramp_up_down.py", "- 12.5 * tf", "- 5.0 * tf",
     "tests/schedules/test_ramp_up_down.py"),
    ("ramp_up_down.py", "/ self.down, 0.0, 1.0)", "/ self.down, 0.0, 9.0)",
     "tests/schedules/test_ramp_up_down.py"),
]
