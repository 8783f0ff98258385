"""The steps of a cell that run in processes: make it, load it, serve it.

A cell has a folder. A step reads and writes files in it, and `STEP.json` says how it
went, so that a later process knows where an earlier one ended.
"""

import json
import pathlib
import time
import traceback

import numpy as np

MADE = "model.keras"
_ROOT = str(pathlib.Path(__file__).parents[2])


def run(step, folders):
    """Runs a step for cells, one after another."""
    function = {"make": make, "load": load, "serve": serve}[step]
    for folder in map(pathlib.Path, folders):
        begun = time.process_time()
        found = attempt(function, folder)
        found["seconds"] = time.process_time() - begun
        (folder / f"{step}.json").write_text(json.dumps(found))


def attempt(function, *args):
    """What a function says of a cell; of an error, its message and place."""
    try:
        return {"facts": function(*args) or {}}
    except Exception as error:  # noqa: BLE001  A cell must not end the others.
        return {"error": described(error), **getattr(error, "found", {})}


def described(error):
    """Kind, message and places of an error, as text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f"{frame.filename.removeprefix(_ROOT + '/')}:{frame.lineno}"
            for frame in frames if frame.filename.startswith(_ROOT)
            and "site-packages" not in frame.filename]
    last = frames[-1]
    place = " < ".join(ours[:-4:-1])
    if not last.filename.startswith(_ROOT):
        place = f"{pathlib.Path(last.filename).name}:{last.lineno} < {place}"
    return {"kind": type(error).__name__, "message": str(error), "place": place}


def make(folder):
    """Takes a network through a door, and writes its files."""
    import keras  # noqa: PLC0415  A process that serves has no need of it.

    from tests.gauntlet import doors  # noqa: PLC0415
    from tests.gauntlet.networks import NETWORKS  # noqa: PLC0415

    keras.backend.clear_session()
    name, door = folder.name.split(".")
    net = NETWORKS[name]
    model, wanted, facts = doors.enter(net, door)
    np.savez(folder / "wanted.npz", **wanted)
    write_inputs(folder, net)
    facts["save"] = attempt(lambda: model.save(folder / MADE)).get("error")
    facts["export"] = attempt(lambda: model.export(folder / "served") and None).get(
        "error")
    return facts


def write_inputs(folder, net):
    """Writes the inputs, with the names and kinds that a request must have."""
    parts = net.inputs if isinstance(net.inputs, (dict, list)) else [net.inputs]
    if isinstance(parts, dict):
        names, arrays = list(parts), list(parts.values())
    else:
        names, arrays = [f"{place}" for place in range(len(parts))], parts
        network = net.seeded()
        if getattr(network, "inputs", None) and len(parts) > 1:
            names = [symbol.name for symbol in network.inputs]
    kind = {dict: "dict", list: "list"}.get(type(net.inputs), "array")
    (folder / "inputs.json").write_text(json.dumps({"names": names, "kind": kind}))
    arrays = map(np.asarray, arrays)
    np.savez(folder / "inputs.npz", **{
        name: array.astype("S") if array.dtype == object else array
        for name, array in zip(names, arrays)})


def read_inputs(folder):
    """Inputs of a cell in their structure, and by name."""
    import tensorflow as tf  # noqa: PLC0415

    about = json.loads((folder / "inputs.json").read_text())
    with np.load(folder / "inputs.npz") as stored:
        named = {name: stored[name] for name in about["names"]}
    named = {name: tf.constant(array) if array.dtype.kind == "S" else array
             for name, array in named.items()}
    if about["kind"] == "dict":
        return named, named
    parts = list(named.values())
    return (parts if about["kind"] == "list" else parts[0]), named


def load(folder):
    """Predicts with the model of a file, in a process that did not make it."""
    import keras  # noqa: PLC0415

    from tests.gauntlet import doors  # noqa: PLC0415
    from tests.gauntlet.networks import NETWORKS  # noqa: PLC0415

    net = NETWORKS[folder.name.split(".")[0]]
    model = keras.saving.load_model(folder / MADE, safe_mode=not net.unsafe)
    inputs, _ = read_inputs(folder)
    # `predict` gives the same mean, but would trace another graph.
    np.savez(folder / "loaded.npz", mean=model.predict_uncertainty(inputs).mean,
             draws=model.sample_outputs(inputs, doors.SAMPLES, seed=doors.SEED))


def serve(folder):
    """Predicts with the SavedModel, in a process that cannot import the zoo."""
    import tensorflow as tf  # noqa: PLC0415

    _, named = read_inputs(folder)
    loaded = tf.saved_model.load(str(folder / "served" / "1"))
    words = loaded.signatures["serving_default"].structured_input_signature[1]
    if len(named) == 1 and len(words) == 1:
        named = dict(zip(words, named.values()))
    assert set(words) == set(named), (
        f"names in a request are {sorted(words)} in place of {sorted(named)}")
    tensors = {name: tf.constant(array) for name, array in named.items()}
    for name, tensor in tensors.items():
        assert words[name].dtype == tensor.dtype, (
            f"input {name} is served as {words[name].dtype.name} in place of "
            f"{tensor.dtype.name}")
    found = loaded.signatures["serving_default"](**tensors)
    with np.load(folder / "wanted.npz") as wanted:
        mean, count = wanted["mean"], len(wanted["draws"])
    served = found["mean"] if "mean" in found else found["probabilities"]
    if mean.shape[-1] == 1 and served.shape[-1] == 2:
        served = served[..., 1:]
    elif len(served.shape) > mean.ndim:  # No and yes of each of several labels.
        served = served[..., 1]
    draws = loaded.signatures["samples"](
        **tensors, num_samples=tf.constant([count]), seed=tf.constant([[5, 0]]))
    np.savez(folder / "answered.npz", mean=served, draws=draws["samples"])
