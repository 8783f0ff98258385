"""A finished run that the tests of this room share."""

import pytest

from bdlzoo import runs


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    config = runs.read_config("digits/mc_dropout.py", "smoke")
    config.epochs = 2
    run = runs.Run(config, tmp_path_factory.mktemp("run") / "a")
    run.complete(verbose=0)
    return run
