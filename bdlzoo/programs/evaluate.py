r"""Evaluates models; writes `metrics.json`, plots and `report.html`.

    bdlzoo evaluate --workdir=runs/digits
    bdlzoo evaluate --workdir=runs/a,runs/b --output=runs/a_and_b
    bdlzoo evaluate --workdir=runs/mnist --ood=kmnist,fashion_mnist
    bdlzoo evaluate --workdir=runs/mnist --influence=5000
    bdlzoo evaluate --model=mine.keras --data=mnist --output=runs/mine

`--model` is a file that `model.save` wrote, of a model of this zoo or of any Keras
classifier: Sequential, functional, or subclassed and registered.
"""

import pathlib

from absl import flags

from bdlzoo import data, runs
from bdlzoo.core.whole_file import write_json
from bdlzoo.evaluation.adopted import adopted
from bdlzoo.evaluation.evaluation import evaluate
from bdlzoo.evaluation.outside_sets import ALWAYS, outside_sets
from bdlzoo.model import model_file
from bdlzoo.programs import console
from bdlzoo.reports.write_report import write_report

_WORKDIR = flags.DEFINE_list("workdir", [], "Folders of finished runs.")
_MODEL = flags.DEFINE_list("model", [], "Files of Keras models.")
_DATA = flags.DEFINE_string("data", None, "Name of the test data of --model.")
_PIXEL_MAX = flags.DEFINE_float(
    "pixel_max", 1.0, "Value of white pixels in the training of --model: 1 or 255.")
_LIKELIHOOD = flags.DEFINE_string(
    "likelihood", None, "What the outputs of --model mean, such as categorical for "
    "logits, where neither its last layer nor its loss says so.")
_OOD = flags.DEFINE_list(
    "ood", None, "Other sets: names of data sets, gaussian, uniform, permuted. The "
    "epsilon of ODIN is chosen on the first one. [noise and permuted pixels for "
    "images]")
_INPUT_SCALE = flags.DEFINE_float("input_scale", 1.0, "Factor of the other sets.")
_SHIFT = flags.DEFINE_integer("shift", 1000, "Number of images to corrupt; 0 for none.")
_INFLUENCE = flags.DEFINE_integer(
    "influence", 0, "Number of training images among which those are looked for that "
    "pushed the most doubtful and most wrong answers; 0 for none.", lower_bound=0)
_OUTPUT = flags.DEFINE_string(
    "output", None, "Folder for the report. [the folder of the run, for one --workdir]")


def main(argv):
    del argv
    with console.explained():
        _check_flags()
        if len(_WORKDIR.value) == 1 and not _MODEL.value and not _OUTPUT.value:
            run = _reopen(_WORKDIR.value[0])
            metrics = run.report(**_protocols(), verbose=1)
            _show(run.workdir.name, metrics)
            print(f"Report: {run.workdir / 'report.html'}")
            return
        evaluations = [
            found for folder in _WORKDIR.value for found in _reopen(folder).examine_all(
                **_protocols(), verbose=1).values()]
        evaluations += [_examine_file(path) for path in _MODEL.value]
        page = write_report(evaluations, _OUTPUT.value)
        metrics = {f"{i}: {e.name}" if len(evaluations) > 1 else e.name: e.metrics()
                   for i, e in enumerate(evaluations, start=1)}
        write_json(page.parent / "metrics.json", metrics)
    for name, scores in metrics.items():
        _show(name, scores)
    print(f"Report: {page}")


def _check_flags():
    if not _WORKDIR.value and not _MODEL.value:
        raise ValueError("Expected --workdir=RUN or --model=FILE. Received: neither")
    if _MODEL.value and not _DATA.value:
        raise ValueError("Expected --data=NAME beside --model, such as "
                         "--data=mnist. Received: no --data")
    if (_MODEL.value or len(_WORKDIR.value) > 1) and not _OUTPUT.value:
        raise ValueError("Expected --output=FOLDER for a report on several runs, or "
                         "on a file. Received: no --output")
    for path in _MODEL.value:
        if not pathlib.Path(path).is_file():
            raise ValueError("Expected a file that `model.save` wrote. Received: "
                             f"--model={path}, which is not a file")


def _protocols():
    return dict(outside=_OOD.value, input_scale=_INPUT_SCALE.value,
                shift=_SHIFT.value, influence=_INFLUENCE.value)


def _reopen(folder):
    run = runs.reopen(folder)
    run.check_finished()
    return run


def _examine_file(path):
    """Runs the protocols on the file of any Keras classifier."""
    train, test = (data.load(_DATA.value, split) for split in ("train", "test"))
    plain = model_file.load(
        path, "a model that Keras 3 can load by itself",
        "Register custom classes with `keras.saving.register_keras_serializable`.")
    model = adopted(plain, test.x, _PIXEL_MAX.value, _LIKELIHOOD.value)
    images = test.x.ndim == 4
    names = _OOD.value
    if names is None:
        names = ALWAYS if images else ()
    return evaluate(
        model, test, name=pathlib.Path(path).stem, train=train,
        class_names=data.class_names(_DATA.value),
        outside=outside_sets(names, test.x, scale=_INPUT_SCALE.value),
        shift=_SHIFT.value if images else 0, verbose=1, influence=_INFLUENCE.value)


def _show(name, metrics):
    print(name)
    console.table({k: v for k, v in metrics.items() if isinstance(v, float)})
