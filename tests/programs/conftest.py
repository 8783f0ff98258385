"""A finished run that the tests of this room share."""

import pytest

from bdlzoo import runs


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Folder of a finished run."""
    config = runs.read_config("digits/mc_dropout.py", "smoke")
    run = runs.Run(config, tmp_path_factory.mktemp("programs") / "a")
    run.complete(verbose=0)
    return run.workdir
