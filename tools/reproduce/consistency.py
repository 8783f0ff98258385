"""Few labels on MNIST: does agreement on rows without labels help, and at what price?

    conv 16 5x5, pool 2, conv 32 5x5, pool 2, dropout, dense 128, dropout, dense 10

The same network, noise, shifts, steps and labelled rows for all lines; the supervised
line sees the labelled rows alone. Ten labels a class; the draw of the labels is the
seed. Test error and expected calibration error are those of the network that predicts,
without noise: the teacher, where there is one. `auroc` is how well its entropy tells
MNIST from KMNIST, and `draws_ece` and `draws_auroc` are the same for the mean over 16
dropout masks of the student.

Reference: Laine and Aila, Temporal Ensembling for Semi-Supervised Learning, ICLR 2017;
Tarvainen and Valpola, Mean Teachers are Better Role Models, NeurIPS 2017.
"""

import keras
import numpy as np

from bdlzoo import data, methods
from bdlzoo.metrics import ExpectedCalibrationError
from bdlzoo.metrics.ranking import auroc
from bdlzoo.schedules import RampUpDown
from tools.reproduce.table import Row, Table

# Kind, and weight of the agreement.
METHODS = {
    "supervised": dict(kind="PiModel", consistency_weight=0.0),
    "pi": dict(kind="PiModel", consistency_weight=20.0),
    "temporal": dict(kind="TemporalEnsembling", consistency_weight=20.0),
    "teacher": dict(kind="MeanTeacher", consistency_weight=20.0)}

TABLE = Table(
    name="consistency",
    title="MNIST with 100 labels, agreement on 10,000 rows without labels",
    subject="Few labels",
    metrics=("error", "ece", "auroc", "draws_ece", "draws_auroc"),
    rows=tuple(
        Row(label, "consistency", published, dict(method=method))
        for label, method, published in (
            ("supervised", "supervised", {}),
            ("Pi-model", "pi", {"error": 0.0665}),
            ("temporal ensembling", "temporal", {"error": 0.0512}),
            ("mean teacher", "teacher", {"error": 0.0418}))),
    note="Published: errors on SVHN with 500 labels, quoted from memory, with a "
         "network of 13 layers and 300 epochs; for the order only. All lines have the "
         "settings of the supervised one and one weight of agreement. Must: the best "
         "error is at most 0.05.",
    num_seeds=5,
    incomparable="the published errors are those of SVHN with 500 labels",
    headline=(("supervised", "error"), ("mean teacher", "error")))


def run(seed=0, method="teacher", outside="kmnist", **options):
    """Scores of one training.

    Args:
        seed: Integer, of the labels, the initial weights and all noise.
        method: One of `METHODS`.
        outside: Name of a set that should look uncertain.
        **options: See `trained`.

    Returns:
        Dict of floats.
    """
    name = options.get("name", "mnist")
    model = trained(seed, method, **options)
    test, other = data.load(name, "test"), data.load(outside, "test").x
    scores = scores_of(model, test, other)
    draws = scores_of(by_draws(model), test, other)
    return {**scores, **{f"draws_{key}": value for key, value in draws.items()}}


def trained(seed=0, method="teacher", name="mnist", num_labels=100, labels=None,
            num_unlabelled=10_000, num_steps=3500, ramp_steps=1500, batch_size=100,
            labelled_batch=50, input_noise=0.15, shift=0.08, flip=False,
            filters=(16, 32), hidden=128, dropout=0.5, learning_rate=2e-3, **changes):
    """A trained model.

    Args:
        seed: Integer.
        method: One of `METHODS`.
        name: Name of a set of images.
        num_labels: Integer, labels, as many of each class as possible.
        labels: Classes `[N]` of the training rows, -1 where they are not known; `None`
            draws `num_labels` of them.
        num_unlabelled: Integer, rows without labels; `None` for all.
        num_steps: Integer, steps with Adam.
        ramp_steps: Integer, steps in which weight and learning rate rise.
        batch_size: Integer, rows without labels in a batch.
        labelled_batch: Integer, labelled rows in a batch.
        input_noise: Float, standard deviation of the noise on pixels.
        shift: Float, largest shift as a share of the side.
        flip: Bool, whether images are mirrored at random.
        filters: Integers, filters of the convolutions.
        hidden: Integer, units of the dense layer.
        dropout: Float, rate.
        learning_rate: Float.
        **changes: Arguments of the method.

    Returns:
        `PredictiveModel`.
    """
    x, y = data.load(name, "train")
    if labels is None:
        labels = data.keep_labels(y, num_labels, seed)
    known = np.flatnonzero(labels >= 0)
    more = np.flatnonzero(labels < 0)[:num_unlabelled]
    keras.utils.set_random_seed(seed)  # The weights at the start.
    model = _model(x.shape[1:], method, filters, hidden, dropout, shift, flip, **{
        "input_noise": input_noise, "ramp_steps": ramp_steps, "seed": seed,
        "labelled_batch": min(labelled_batch, len(known)), **changes})
    model.compile(keras.optimizers.Adam(RampUpDown(
        learning_rate, num_steps, up=ramp_steps / num_steps / 2, down=0.25)))
    # Whole epochs of the rows without labels, so that targets have an age.
    steps = min(len(more) // batch_size, num_steps)
    model.fit(x[known], labels[known], unlabelled=x[more], batch_size=batch_size,
              epochs=num_steps // steps, steps_per_epoch=steps, verbose=0)
    return model


def by_draws(model, num_samples=16):
    """The same model, whose predictions are means over masks of the student."""
    config = {**model.get_config(), "predictor": "draws", "num_samples": num_samples}
    other = type(model).from_config(config)
    other.build(model.network.input_shape)
    other.network.set_weights(model.network.get_weights())
    return other


def _model(input_shape, method, filters, hidden, dropout, shift, flip, **arguments):
    spec = {**METHODS[method], **arguments}
    layers = [keras.layers.RandomTranslation(
        shift, shift, fill_mode="constant", interpolation="nearest")]
    if flip:
        layers.append(keras.layers.RandomFlip("horizontal"))
    return getattr(methods, spec.pop("kind"))(
        network(input_shape, filters, hidden, dropout), num_samples=1,
        augmentation=keras.Sequential([keras.Input(input_shape), *layers]), **spec)


def network(input_shape, filters=(16, 32), hidden=128, dropout=0.5):
    """The network of all lines."""
    layers = [keras.Input(input_shape)]
    for count in filters:
        layers += [keras.layers.Conv2D(count, 5, padding="same", activation="relu"),
                   keras.layers.MaxPooling2D(2)]
    return keras.Sequential([
        *layers, keras.layers.Flatten(), keras.layers.Dropout(dropout / 2),
        keras.layers.Dense(hidden, activation="relu"), keras.layers.Dropout(dropout),
        keras.layers.Dense(10)])


def scores_of(model, test, outside=None):
    """Error and calibration on test rows, and how well entropy finds outside rows."""
    inside = model.predict_uncertainty(test.x)
    gap = ExpectedCalibrationError()
    gap.update_state(test.y, inside.mean)
    scores = {"error": np.mean(np.asarray(inside.label) != test.y),
              "ece": float(gap.result())}
    if outside is not None:
        other = model.predict_uncertainty(outside)
        entropies = np.concatenate([p.predictive_entropy for p in (inside, other)])
        scores["auroc"] = auroc(entropies, np.arange(len(entropies)) >= len(test.y))
    return scores
