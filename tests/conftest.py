"""Set-up of all tests: two logical devices, so that replicas can be tested."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# What XLA compiles here runs a few times: it need not run fast.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

import keras  # noqa: E402
import pytest  # noqa: E402
import tensorflow as tf  # noqa: E402

_CPU = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    _CPU, [tf.config.LogicalDeviceConfiguration()] * 2)


@pytest.fixture(autouse=True)
def _fixed_initial_weights():
    keras.utils.set_random_seed(0)


def pytest_collection_modifyitems(items):
    # A file stays with one worker: the longest first, or it would end alone.
    items.sort(key=lambda item: item.path.name != "test_contract.py")
