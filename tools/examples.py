r"""Executes the examples in the docstrings of public names.

    python -m tools.examples --name=all
    python -m tools.examples --name=MCDropout,pavpu
    python -m tools.examples --name=none

An example may use what its reader has: `network`, `x`, `y`, `model`, and so on. Small
stand-ins take their place, of the shapes that the example names. Long trainings are
cut: one epoch, a few episodes. The names that have no example yet are printed.
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
         (r"\bnum_samples=1000\b", "num_samples=4"),
         (r"\bRooms\(\)", "Rooms(num_rooms=1, horizon=10)"))
_ROWS = 240
# A pattern of an example, and the shape of its inputs and the kind of its targets.
_SHAPES = ((r"\(28, 28, 1\)", (28, 28, 1), 10), (r"\(784,\)", (784,), 10),
           (r"\(\(64,\)", (64,), 10), (r"\(8,\), outputs=3", (8,), 3),
           (r"predictive_band|posterior_panels", (1,), None),
           (r"\(8,\)|SDE|calibration_plot", (8,), None),
           (r'"gaussian"|Gaussian\(|Laplace\(|StudentT|Quantiles', (8,), None))
_NAME = flags.DEFINE_list("name", [], "all, none, or some public names.",
                          allow_override=True)


def main(argv):
    del argv
    with console.explained():
        found = examples()
        if not _NAME.value:
            raise ValueError("Expected --name=all, none, or public names. Received: "
                             "no --name")
        failed = []
        for path, code in found.items():
            word = path.rsplit(".", 1)[1]
            if code and ("all" in _NAME.value or word in _NAME.value):
                try:
                    execute(code)
                    print(f"{path}: runs", flush=True)
                except ImportError as error:  # An extra that is not installed.
                    print(f"{path}: not run, {error}", flush=True)
                except Exception as error:  # All are told, not the first alone.
                    failed.append(path)
                    print(f"{path}: {type(error).__name__}: {error}\n{code}",
                          flush=True)
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
    part = re.search(r"^Examples?:\n(.*?)(?=^[A-Z][\w ]*:|\Z)",
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
    rows = 10_000 if "1000" in code else _ROWS  # A thousand of each class.

    def inputs():
        return draw.uniform(size=(rows, *shape)).astype("float32")

    x = inputs()
    y = (np.arange(rows, dtype="int32") % classes if classes
         else draw.normal(size=(rows, 1)).astype("float32"))
    network = _network(shape, 3 if "Quantiles" in code else classes or 1)
    names.update(
        x=x, y=y, x_test=inputs(), y_test=y, x_val=inputs(), y_val=y, x_target=inputs(),
        y_target=y, x_more=inputs(), noise_images=inputs(), images=x, held_out=(x, y),
        train=bdlzoo.data.Split(x, y), network=network, trained=_trained(network),
        observations=np.zeros((2, 7, 7, 4) if "Rooms" in code else (2, 10, 10),
                              "float32"), key=noise.key(0),
        potentials=tf.zeros([4, 2, 3]),
        loss_of=lambda codes: tf.reduce_sum(codes * [0.0, 1.0, 2.0], axis=[-2, -1]),
        nodes=tf.zeros([4, 2, 6]), weights=tf.ones([2, 2]) / 2,
        inputs=keras.Input((16,)),
        actions=np.zeros(16, int), scores=np.arange(rows) / rows,
        positives=np.arange(rows) % 2, is_unknown=np.arange(rows) % 2 == 0, label=y,
        labels=np.eye(10, dtype="float32")[np.arange(rows) % 10],
        encoder=_network((8, 8, 1), 8), decoder=_network((4,), 64))
    for word, make in _MADE.items():  # Only what is asked for: these take time.
        first = re.search(rf"\b{word}\b(.*)", code)
        if first and not re.match(r"[\w, ]*= ", first[1]):
            names[word] = make(names, "categorical" if classes else "gaussian")
    if "StructuredGAN" in code:
        names["y"] = bdlzoo.data.keep_labels(y, 100)
    if re.search("fit_masks|PairedAugmentation", code):
        scenes = _scenes(names, "")
        names.update(x=scenes.x, y=scenes.y, model=_segmenter(names, ""))
        names["model"].compile("adam")
    return names


def _scenes(names, likelihood):
    return bdlzoo.data.draw_scenes(4, size=(16, 16))


def _segmenter(names, likelihood):
    network = bdlzoo.networks.UNet((16, 16, 3), outputs=4, filters=(4, 8), dropout=0.5)
    return bdlzoo.methods.MCDropout(network, num_samples=4, seed=0)


def _model(names, likelihood):
    model = bdlzoo.methods.MCDropout(names["network"], likelihood, num_samples=4,
                                     seed=0)
    model.compile("adam")
    model.build(names["x"].shape)
    return model


def _prediction(names, likelihood):
    return _model(names, likelihood).predict_uncertainty(names["x"])


def _sampler(names, likelihood):
    sampler = bdlzoo.methods.SGLD(names["network"], likelihood, num_chains=2,
                                  num_kept=4, seed=0)
    sampler.compile(keras.optimizers.SGD(0.01))
    sampler.fit(names["x"], names["y"], epochs=1, verbose=0)
    return sampler


_MADE = {"model": _model, "prediction": _prediction, "sampler": _sampler,
         "scenes": _scenes, "segmenter": _segmenter}


def _network(shape, outputs):
    layers = keras.layers
    return keras.Sequential([
        keras.Input(shape), layers.Flatten(), layers.Dense(8, activation="relu"),
        layers.Dropout(0.5), layers.Dense(8, activation="relu"), layers.Dense(outputs)])


def _trained(network):
    """A copy that does not look like a new network."""
    copy = keras.models.clone_model(network)
    copy.set_weights([weights + 0.01 for weights in network.get_weights()])
    return copy


if __name__ == "__main__":
    console.run(main)
