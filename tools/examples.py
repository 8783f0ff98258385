r"""Executes the examples in the docstrings of public names.

    python -m tools.examples --name=all
    python -m tools.examples --name=MCDropout,pavpu
    python -m tools.examples --name=none

An example may use what its reader has: `network`, `x`, `y`, `model`, and so on. Small
stand-ins take their place, of the shapes that the example names. Long trainings are cut:
one epoch, a few episodes. The names that have no example yet are printed.
"""

import contextlib
import inspect
import os
import re
import tempfile

import keras
import numpy as np
import tensorflow as tf
from absl import flags

import bdlzoo
from bdlzoo.core import noise
from bdlzoo.programs import console
from tools.website import reference

# Words that mean work, and what they become.
_CUTS = ((r"\bepochs=\d+", "epochs=1"), (r"\bepisodes=\d+", "episodes=4"),
         (r"\bnum_rounds=\d+", "num_rounds=1"), (r"\bnum_steps=\d+", "num_steps=2"),
         (r"\bburn_in=\d+", "burn_in=0"), (r"\bthinning=\d+", "thinning=1"),
         (r"\bnum_episodes=\d+", "num_episodes=4"), (r"\bsteps=\d+", "steps=2"),
         (r"\bnum_samples=1000\b", "num_samples=4"))
_ROWS = 24
# A pattern of an example, and the shape of its inputs and the kind of its targets.
_SHAPES = ((r"\(28, 28, 1\)", (28, 28, 1), 10), (r"\(784,\)", (784,), 10),
           (r"\(64,\)", (64,), 10), (r"\(8,\), outputs=3", (8,), 3),
           (r"\(8,\)|SDE", (8,), None),
           (r'"gaussian"|Gaussian\(|Laplace\(|StudentT|Quantiles', (8,), None))
_NAME = flags.DEFINE_list("name", [], "all, none, or some public names.",
                          allow_override=True)


def main(argv):
    del argv
    with console.explained():
        found = examples()
        if not _NAME.value:
            raise ValueError("Expected --name=all, none, or public names. Received: none")
        failed = []
        for path, code in found.items():
            word = path.rsplit(".", 1)[1]
            if code and ("all" in _NAME.value or word in _NAME.value):
                try:
                    execute(code)
                    print(f"{path}: runs", flush=True)
                except Exception as error:  # All are told, not the first alone.
                    failed.append(path)
                    print(f"{path}: {type(error).__name__}: {error}\n{code}", flush=True)
        missing = [path for path, code in found.items() if not code]
        print(f"{len(missing)} without an example: {', '.join(missing)}")
        if failed:
            raise ValueError(f"Expected examples that run. Received: {failed}")


def examples():
    """Dictionary, path of each public class or function to its example, or `None`."""
    found = {}
    for name in reference.public_names():
        if inspect.isclass(name.thing) or inspect.isfunction(name.thing):
            found[name.path] = code_of(name.thing.__doc__)
    return found


def code_of(doc):
    """The code of the example in a docstring, or `None`.

    Args:
        doc: String.
    """
    part = re.search(r"^Examples?:\n\n?(.*?)(?=^[A-Z]\w[\w ]*:$|\Z)",
                     inspect.cleandoc(doc), re.M | re.S)
    if part is None:
        return None
    lines = [line for line in part[1].splitlines()
             if not line.strip().startswith("```")]
    return inspect.cleandoc("\n".join(lines)).strip() or None


def execute(code):
    """Runs an example, with what its reader has, in an empty folder.

    Args:
        code: String.

    Returns:
        Dictionary of the names that it leaves.
    """
    names = stand_ins(code)
    for pattern, short in _CUTS:
        code = re.sub(pattern, short, code)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), \
            open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        exec(compile(code, "example", "exec"), names)
    return names


def stand_ins(code):
    """What a reader of an example has, by name.

    Args:
        code: String, the example.
    """
    names = {"bdlzoo": bdlzoo, "keras": keras, "np": np, "tf": tf}
    for module in reference.rooms().values():
        for word in module.__all__:
            names.setdefault(word, getattr(module, word))
    shape, classes = next(((shape, classes) for pattern, shape, classes in _SHAPES
                           if re.search(pattern, code)), ((8, 8, 1), 10))
    draw = np.random.default_rng(0)

    def inputs(count=_ROWS):
        return draw.uniform(size=(count, *shape)).astype("float32")

    x, y = inputs(), np.arange(_ROWS) % (classes or 10)
    targets = y.astype("int32" if classes else "float32")
    if not classes:
        targets = draw.normal(size=(_ROWS, 1)).astype("float32")
    network = _network(shape, classes or 1)
    split = bdlzoo.data.Split(x, targets)
    names.update(
        x=x, y=targets, x_test=inputs(), y_test=targets, x_val=inputs(), y_val=targets,
        x_target=inputs(), y_target=targets, x_more=inputs(), train=split, test=split,
        held_out=(x, targets), validation_data=(x, targets), images=x, labels=targets,
        network=network, classifier=network, trained=_trained(shape, classes or 1),
        observations=np.zeros((2, 10, 10), "float32"), key=noise.key(0),
        potentials=tf.zeros([4, 2, 3]),
        loss_of=lambda codes: tf.reduce_sum(codes * [0.0, 1.0, 2.0], axis=[-2, -1]),
        nodes=tf.zeros([4, 2, 6]), weights=tf.ones([2, 2]) / 2, inputs=keras.Input((16,)),
        actions=np.zeros(16, int), scores=np.arange(_ROWS) / _ROWS,
        positives=y % 2, is_unknown=y % 2 == 0, label=y)
    model = bdlzoo.methods.MCDropout(
        network, "categorical" if classes else "gaussian", num_samples=4, seed=0)
    model.compile("adam")
    names.update(model=model, prediction=model.predict_uncertainty(x))
    return names


def _network(shape, outputs):
    layers = keras.layers
    return keras.Sequential([
        keras.Input(shape), layers.Flatten(), layers.Dense(8, activation="relu"),
        layers.Dropout(0.5), layers.Dense(8, activation="relu"), layers.Dense(outputs)])


def _trained(shape, outputs):
    """A network that does not look like a new one."""
    network = _network(shape, outputs)
    network.set_weights([w + 0.01 for w in network.get_weights()])
    return network


if __name__ == "__main__":
    console.run(main)
