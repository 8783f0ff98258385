"""Few labels of photographs: the lines of the table, on bundled digits."""

import pytest

from tools.reproduce import consistency, consistency_cifar10

SMALL = dict(name="digits", num_steps=6, ramp_steps=2, batch_size=32, filters=(4, 4),
             hidden=8)


@pytest.mark.slow
@pytest.mark.parametrize("method", list(consistency.METHODS))
def test_every_method_runs_on_photographs_too(method):
    scores = consistency_cifar10.run(0, method, num_labels=20, **SMALL)
    assert set(consistency_cifar10.TABLE.metrics) <= set(scores)
