"""Steps and predictions that grow with members, chains, width, depth or data."""

import keras
import numpy as np

from bdlzoo import methods, networks
from tools.benchmark.workers import keras_steps, protocol, training

DRAWS = 8  # In a prediction.


def prepare(subject, workload, mode, steps):
    """`workload` is a word and a number, such as `members8`."""
    size = int(workload.lstrip("abcdefghijklmnopqrstuvwxyz"))
    return (_rows if subject in ("epoch", "prediction") else _steps)(
        subject, size, mode, int(steps))


def _steps(subject, size, mode, steps):
    """Training steps of a model of this size."""
    arguments = keras_steps.compile_arguments(mode, steps)
    hidden = {"width": (size, size), "depth": (200,) * size}.get(
        subject.removeprefix("plain_"), (200,))
    layer = "DenseFlipout" if subject in ("width", "depth") else None
    network = networks.MLP(training.SHAPES["mlp"], hidden, layer=layer)
    if subject.startswith("plain_"):
        network.compile(
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            **arguments)
        return keras_steps.steps_of(network, "mlp", steps)
    common = dict(num_data=training.NUM_DATA, seed=0)
    if subject == "members":
        model = methods.DeepEnsemble(network, num_members=size, **common)
    elif subject == "chains":
        model = methods.SGLD(network, num_chains=size, thinning=20, num_kept=2,
                             **common)
        arguments["optimizer"] = keras.optimizers.SGD(0.025)
    else:
        model = methods.MeanFieldVI(network, **common)
    model.compile(metrics=[], **arguments)
    return keras_steps.steps_of(model, "mlp", steps)


def _rows(subject, size, mode, steps):
    """Epochs over this many rows, or predictions of them."""
    random = np.random.default_rng(0)
    x = random.random((size, *training.SHAPES["mlp"]), "float32")
    y = random.integers(10, size=size)
    network = networks.MLP(training.SHAPES["mlp"], (50,), dropout=0.5)
    model = methods.MCDropout(network, num_samples=DRAWS, seed=0)
    model.compile(metrics=[], jit_compile=mode == "xla")

    def run():
        if subject == "epoch":
            model.fit(x, y, batch_size=training.BATCH_SIZE, epochs=steps, verbose=0)
        else:
            for _ in range(steps):
                model.predict_uncertainty(x)

    return run


if __name__ == "__main__":
    protocol.serve(prepare, "keras", "tensorflow")
