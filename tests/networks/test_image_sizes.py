"""Networks of images take sides that are not equal, and that nothing divides."""

import numpy as np
import pytest

from bdlzoo import networks
from bdlzoo.methods import DBSN

SIDES = (23, 37)
CELLS = dict(num_nodes=2, growth=2, stem=4)
# Arguments that keep a network small.
ONE_ANSWER = {
    "BatchNormLeNet": {}, "LeNet": {}, "LeNet5": {}, "LeNet5Classic": {},
    "SmallCNN": dict(filters=(2, 2)), "TradesCNN": {}, "WongKolterCNN": {},
    "ResNet20": {}, "WideResNet": dict(depth=10, width=1),
    "CellCNN": dict(stages=(1, 1), **CELLS), "GanClassifier": {},
    "GanInference": dict(filters=(2, 2)), "PerturbationEncoder": dict(filters=(2, 2)),
    "ScatteringMLP": {}}
EACH_PIXEL = {
    "UNet": dict(filters=(2, 2, 2)), "BayesianSegNet": dict(filters=(2, 2, 2)),
    "CellUNet": dict(stages=(1, 1), **CELLS), "PerturbationGenerator": dict(width=2)}


@pytest.mark.parametrize("name", [*ONE_ANSWER, *EACH_PIXEL])
def test_images_of_any_sides_have_their_answers(name):
    small = {**ONE_ANSWER, **EACH_PIXEL}[name]
    network = getattr(networks, name)((*SIDES, 3), outputs=5, **small)
    sides = SIDES if name in EACH_PIXEL else ()
    assert network.output_shape == (None, *sides, 5)
    x = np.random.default_rng(0).random((2, *SIDES, 3)).astype("float32")
    found = np.array(network(x))
    assert found.shape == (2, *sides, 5) and np.isfinite(found).all()


@pytest.mark.slow
def test_dilated_operations_learn_images_that_are_not_square():
    """TensorFlow would end the process if the sides were lost on the way."""
    rng = np.random.default_rng(0)
    x, y = rng.random((8, 48, 64, 3)).astype("float32"), rng.integers(0, 3, 8)
    model = DBSN(networks.CellCNN(
        (48, 64, 3), 3, stages=(1, 1), operations=("identity", "dilated_3x3"),
        **CELLS), num_samples=2, seed=0)
    model.compile()
    history = model.fit(x, y, batch_size=4, epochs=1, verbose=0).history
    assert np.isfinite(history["loss"]).all()
    assert model.predict(x, verbose=0).shape == (8, 3)
