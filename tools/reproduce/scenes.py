"""Scenes of shapes: what kind of doubt is where, on data whose doubt is known.

    deterministic    U-Net, cross entropy, dropout in training alone
    dropout          the same, 20 masks: epistemic uncertainty
    aleatoric        U-Net whose logits have predicted noise, dropout in training alone
    both             noise of the logits, and 20 masks
    dbsn, map, ...   cells, see `tools.reproduce.structure_baselines`

Labels are random in the blurred borders of shapes, and nowhere else. A shape has any
colour, and its form is its class. A ring is in half of the test scenes and in no
training scene. Dropout is of channels, in the central blocks, which see whole shapes:
in outer ones it is noise at every border, and hides what is not known.

Reference: Kendall and Gal, What Uncertainties Do We Need in Bayesian Deep Learning for
Computer Vision, NeurIPS 2017; Deng et al., Measuring Uncertainty through Bayesian
Learning of Deep Neural Network Structure, 2019.
"""

import functools
import math

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.data.epochs import num_batches
from bdlzoo.data.scenes import CLASSES, UNKNOWN
from bdlzoo.evaluation.segmentation import pixel_maps, segmentation_scores
from bdlzoo.likelihoods import Categorical, StochasticLogits
from bdlzoo.methods import Deterministic, MCDropout
from bdlzoo.networks import CellUNet, UNet
from tools.reproduce import structure_baselines
from tools.reproduce.table import Row, Table

_BATCH = 16
_DECAY = 1e-4  # Of the weights of cells, in a step of SGD.
_CELLS = dict(stages=(1,), middle=1, num_nodes=4, growth=6, stem=12)
UNETS = ("deterministic", "dropout", "aleatoric", "both")
CELLS = ("dbsn", "map", "fixed", "mc_dropout")

_LABELS = {"deterministic": "U-Net", "dropout": "U-Net, MC dropout",
           "aleatoric": "U-Net, noisy logits",
           "both": "U-Net, noisy logits and MC dropout", "dbsn": "cells, DBSN",
           "map": "cells, one structure (MAP)", "fixed": "cells, fixed alpha",
           "mc_dropout": "cells, fixed alpha, MC dropout"}

TABLES = (
    Table(
        name="scenes",
        title="Scenes of shapes: doubt at borders, and at a shape not seen before",
        subject="Segmentation",
        metrics=("miou", "accuracy", "nll", "ece", "border_ratio", "truth_correlation",
                 "auroc_aleatoric", "auroc_epistemic", "auroc_region_epistemic",
                 "pavpu", "accuracy_kept"),
        rows=tuple(Row(_LABELS[method], "scenes", changes=dict(method=method))
                   for method in (*UNETS, *CELLS)),
        note="Our own table: 48 x 48 pixels, 512 training scenes, 256 test scenes, "
             "1,200 steps. The scenes and the place of dropout were chosen by looking "
             "at scores of seed 0. Border ratio: mean "
             "aleatoric uncertainty of pixels in borders over that of all others. "
             "Truth correlation: of the aleatoric map with the entropy that the labels "
             "were drawn with. AUROC: pixels, and regions, of the ring against all "
             "others; without draws there is no epistemic uncertainty, so 0.5. "
             "Accuracy kept: of the 90 % of pixels that are most certain.",
        headline=(("U-Net, noisy logits and MC dropout", "auroc_epistemic"),
                  ("U-Net, noisy logits and MC dropout", "border_ratio")),
        num_seeds=4, chosen_on=(0,),
        figures=("scene_maps.png",)),
    Table(
        name="scenes_trends",
        title="Scenes of shapes: label noise raises one doubt, data lower the other",
        subject="Segmentation",
        metrics=("aleatoric", "epistemic", "true_entropy", "miou"),
        rows=tuple(Row(f"label noise {noise:g}, {count} scenes", "scenes", changes=dict(
            method="dropout", label_noise=noise, num_train=count, num_test=128))
            for noise, count in ((0.0, 512), (0.1, 512), (0.2, 512), (0.0, 32),
                                 (0.0, 128))),
        note="U-Net with MC dropout, 1,200 steps for all. Means over the pixels of "
             "test scenes without the ring, in nats. True entropy: of the law of "
             "training labels.",
        headline=(("label noise 0.2, 512 scenes", "aleatoric"),
                  ("label noise 0, 32 scenes", "epistemic"))))


def run(seed=0, method="both", num_train=512, num_test=256, size=(48, 48), steps=1200,
        label_noise=0.0, num_samples=20, verbose=0, **options):
    """Trains one method, and scores its predictions and its maps.

    Args:
        seed: Integer.
        method: One of `UNETS` or `CELLS`.
        num_train: Integer, training scenes.
        num_test: Integer, test scenes.
        size: Pair of integers, height and width.
        steps: Integer, training steps, rounded up to whole epochs.
        label_noise: Float, share of training labels that are drawn from all classes.
        num_samples: Integer, draws at prediction.
        verbose: As in `fit`.
        **options: See `build`.

    Returns:
        Dict of floats: see `segmentation_scores`; `truth_correlation`; `aleatoric`,
        `epistemic` and `true_entropy`, means over pixels without the ring.
    """
    train, test = scenes(seed, num_train, num_test, size, label_noise)
    model = trained(method, train, seed, steps, num_samples, verbose, **options)
    maps = pixel_maps(model, test.x, test.y, seed=seed)
    known = ~test.unknown
    # The same scenes: the noise of labels changes their law alone.
    noisy = data.draw_scenes(num_test, [seed, 2], size, label_noise=label_noise,
                             strange=0.5).entropy[known]
    return {
        **segmentation_scores(maps, test.y, len(CLASSES), UNKNOWN, test.border,
                              test.unknown),
        "truth_correlation": np.corrcoef(
            maps.aleatoric[known], test.entropy[known])[0, 1],
        "aleatoric": maps.aleatoric[known].mean(),
        "epistemic": maps.epistemic[known].mean(), "true_entropy": noisy.mean()}


def scenes(seed, num_train, num_test, size, label_noise=0.0):
    """Training scenes, and test scenes half of which have the strange shape."""
    train = data.draw_scenes(num_train, [seed, 1], size, label_noise=label_noise)
    return train, data.draw_scenes(num_test, [seed, 2], size, strange=0.5)


def trained(method, train, seed=0, steps=1200, num_samples=20, verbose=0, **options):
    """The trained model of a method.

    Args:
        method: One of `UNETS` or `CELLS`.
        train: `Scenes`.
        seed: Integer.
        steps: Integer, training steps.
        num_samples: Integer, draws at prediction.
        verbose: As in `fit`.
        **options: See `build`.
    """
    epochs = max(1, round(steps / num_batches(len(train.x), _BATCH)))
    model = build(method, train.x.shape[1:], len(train.x), epochs, seed, num_samples,
                  **options)
    model.fit(train.x, train.y, batch_size=_BATCH, epochs=epochs, verbose=verbose)
    return model


def build(method, input_shape, num_data, epochs, seed=0, num_samples=20,
          filters=(12, 24, 48), dropout=0.5, dropout_at="central", rate=2e-3,
          cells=None):
    """The compiled model of a method.

    Args:
        method: One of `UNETS` or `CELLS`.
        input_shape: Shape of an image.
        num_data: Integer, images to train on.
        epochs: Integer, which the schedules count on.
        seed: Integer.
        num_samples: Integer, draws at prediction.
        filters: Of `UNet`.
        dropout: Float, rate of the dropout of channels of `UNet`.
        dropout_at: Of `UNet`.
        rate: Float, of Adam at the start.
        cells: Dictionary, arguments of `CellUNet`; `None` takes small ones.

    Returns:
        `PredictiveModel`.
    """
    if method not in (*UNETS, *CELLS):
        raise ValueError(f"Expected one of {(*UNETS, *CELLS)}. Received: "
                         f"method={method!r}")
    if method in CELLS:
        make = functools.partial(CellUNet, input_shape, len(CLASSES),
                                 **(cells or _CELLS))
        return structure_baselines.structure_baseline(
            method, make, num_data, epochs, _BATCH, seed, num_samples=num_samples,
            likelihood=Categorical(ignore_class=UNKNOWN), structure_rate=0.01,
            prior_scale=1.0 / math.sqrt(_DECAY * num_data))
    keras.utils.set_random_seed(seed)
    noisy = method in ("aleatoric", "both")
    network = UNet(input_shape, len(CLASSES) + noisy, filters,
                   dict(type="SpatialDropout2D", rate=dropout), dropout_at)
    likelihood = (StochasticLogits if noisy else Categorical)(ignore_class=UNKNOWN)
    drawn = method in ("dropout", "both")
    model = MCDropout(network, likelihood, num_samples=num_samples, seed=seed) if (
        drawn) else Deterministic(network, likelihood, seed=seed)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(
        rate, epochs * num_batches(num_data, _BATCH))))
    return model


def curves(rows):
    """Arguments of `bdlzoo.reports.doubt_curves` from rows of the table of trends."""
    found = [(row["changes"]["label_noise"], row["changes"]["num_train"],
              row["scores"]) for row in rows]
    most = max(count for _, count, _ in found)

    def seeds(scores, metric):
        return [score[metric] for score in scores]

    noisy = {noise: scores for noise, count, scores in found if count == most}
    return {"aleatoric": {noise: seeds(scores, "aleatoric")
                          for noise, scores in noisy.items()},
            "true_entropy": {noise: seeds(scores, "true_entropy")
                             for noise, scores in noisy.items()},
            "epistemic": {count: seeds(scores, "epistemic")
                          for noise, count, scores in found if noise == 0}}
