"""CamVid at 48 x 64 pixels: the four rows of Kendall and Gal, an ensemble, and cells.

    deterministic    U-Net, cross entropy, dropout in training alone
    dropout          the same, 20 masks: epistemic uncertainty
    aleatoric        U-Net whose logits have predicted noise, dropout in training alone
    both             noise of the logits, and 20 masks
    ensemble         five U-Nets
    dbsn, map        cells, see `tools.reproduce.structure_baselines`

All rows but the cells have the same network, steps, flips and sections of images.

Reference: Kendall and Gal, What Uncertainties Do We Need in Bayesian Deep Learning for
Computer Vision, NeurIPS 2017; Deng et al., Measuring Uncertainty through Bayesian
Learning of Deep Neural Network Structure, 2019, and its released code.
"""

import functools
import math

import keras

from bdlzoo import data
from bdlzoo.data.epochs import num_batches
from bdlzoo.evaluation.segmentation import pixel_maps, segmentation_scores
from bdlzoo.likelihoods import Categorical, StochasticLogits
from bdlzoo.methods import DeepEnsemble, Deterministic, MCDropout
from bdlzoo.networks import CellUNet, UNet
from tools.reproduce import structure_baselines
from tools.reproduce.table import Row, Table

_BATCH, _VOID = 8, 11
_DECAY = 1e-4  # Of the weights of cells, in a step of SGD.
UNETS = ("deterministic", "dropout", "aleatoric", "both")
CELLS = ("dbsn", "map")
_SCORES = ("miou", "accuracy", "accuracy_kept", "nll", "ece", "pavpu", "border_ratio")

TABLES = (
    Table(
        name="camvid",
        title="CamVid at 48 x 64 pixels: both kinds of uncertainty",
        subject="Segmentation",
        metrics=_SCORES,
        rows=tuple(Row(label, "camvid", published, changes=dict(method=method))
                   for method, label, published in (
                       ("deterministic", "U-Net", {"miou": 0.671}),
                       ("dropout", "U-Net, MC dropout", {"miou": 0.672}),
                       ("aleatoric", "U-Net, noisy logits", {"miou": 0.674}),
                       ("both", "U-Net, noisy logits and MC dropout",
                        {"miou": 0.675}))),
        note="Published: mean IoU of DenseNet at 360 x 480 pixels. Here 367 images of "
             "48 x 64 pixels train a small U-Net, so that only the order of the rows "
             "can be compared. Accuracy kept: of the 90 % of pixels that are most "
             "certain. Void pixels do not count.",
        incomparable="the published network is larger by far, and so are its images"),
    Table(
        name="camvid_others",
        title="CamVid at 48 x 64 pixels: an ensemble, and learnt structures",
        subject="Segmentation",
        metrics=_SCORES,
        rows=(Row("five U-Nets", "camvid", changes=dict(
                  method="ensemble", steps=600)),
              Row("cells, DBSN", "camvid", {"miou": 0.6556, "accuracy": 0.9148},
                  changes=dict(method="dbsn", steps=600)),
              Row("cells, one structure (MAP)", "camvid",
                  {"miou": 0.6306, "accuracy": 0.9040},
                  changes=dict(method="map", steps=600))),
        note="Published: FC-DenseNet of 3.3 million weights, DBSN with 100 draws, at "
             "360 x 480 pixels after 850 epochs. Here small networks, 600 steps and "
             "20 draws.",
        num_seeds=1,
        incomparable="the published network is larger by far, and so are its images"))


def run(seed=0, method="both", size=(48, 64), steps=1400, num_samples=20, limit=None,
        verbose=0, **options):
    """Trains one method, and scores it on the test images.

    Args:
        seed: Integer.
        method: One of `UNETS`, `CELLS`, or `"ensemble"`.
        size: Pair of integers, height and width.
        steps: Integer, training steps, rounded to whole epochs.
        num_samples: Integer, draws at prediction.
        limit: Integer, largest number of images of a split; `None` for all.
        verbose: As in `fit`.
        **options: See `build`.

    Returns:
        Dict of floats, see `segmentation_scores`.
    """
    train, test = (data.load("camvid", split, seed=seed, size=size)
                   for split in ("train", "test"))
    model = trained(method, *(part[:limit] for part in train), seed, steps,
                    num_samples, verbose, **options)
    x, y = (part[:limit] for part in test)
    return segmentation_scores(pixel_maps(model, x, y, seed=seed), y, _VOID, _VOID)


def trained(method, x, y, seed=0, steps=1400, num_samples=20, verbose=0, **options):
    """The trained model of a method.

    Args:
        method: One of `UNETS`, `CELLS`, or `"ensemble"`.
        x: Images.
        y: Masks.
        seed: Integer.
        steps: Integer, training steps.
        num_samples: Integer, draws at prediction.
        verbose: As in `fit`.
        **options: See `build`.
    """
    epochs = max(1, round(steps / num_batches(len(x), _BATCH)))
    model = build(method, x.shape[1:], len(x), epochs, seed, num_samples, **options)
    model.fit(x, y, batch_size=_BATCH, epochs=epochs, verbose=verbose,
              augmentation=data.PairedAugmentation(zoom=0.3))
    return model


def build(method, input_shape, num_data, epochs, seed=0, num_samples=20,
          filters=(16, 32, 64, 64), dropout=0.3, num_members=5, rate=2e-3,
          cells=None):
    """The compiled model of a method.

    Args:
        method: One of `UNETS`, `CELLS`, or `"ensemble"`.
        input_shape: Shape of an image.
        num_data: Integer, images to train on.
        epochs: Integer, which the schedules count on.
        seed: Integer.
        num_samples: Integer, draws at prediction.
        filters: Of `UNet`.
        dropout: Float, rate in the central blocks of `UNet`.
        num_members: Integer, networks of the ensemble.
        rate: Float, of Adam at the start.
        cells: Dictionary, arguments of `CellUNet`; `None` takes small ones.

    Returns:
        `PredictiveModel`.
    """
    methods = (*UNETS, *CELLS, "ensemble")
    if method not in methods:
        raise ValueError(f"Expected one of {methods}. Received: method={method!r}")
    if method in CELLS:
        make = functools.partial(CellUNet, input_shape, _VOID, **(cells or dict(
            stages=(1, 1), middle=1, num_nodes=4, growth=8, stem=16)))
        return structure_baselines.structure_baseline(
            method, make, num_data, epochs, _BATCH, seed, num_samples=num_samples,
            likelihood=Categorical(ignore_class=_VOID), structure_rate=0.01,
            prior_scale=1.0 / math.sqrt(_DECAY * num_data))
    keras.utils.set_random_seed(seed)
    noisy = method in ("aleatoric", "both")
    network = UNet(input_shape, _VOID + noisy, filters, dropout)
    likelihood = (StochasticLogits if noisy else Categorical)(ignore_class=_VOID)
    if method == "ensemble":
        model = DeepEnsemble(network, likelihood, num_members, own_order=False,
                             seed=seed)
    elif method in ("dropout", "both"):
        model = MCDropout(network, likelihood, num_samples=num_samples, seed=seed)
    else:
        model = Deterministic(network, likelihood, seed=seed)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(
        rate, epochs * num_batches(num_data, _BATCH))))
    return model
