"""GAN, WGAN and WGAN-GP as generators of networks, over steps of the generator.

    generated   mean test accuracy of single generated networks
    bald        AUROC of the mutual information of test images and of another set
    spread      standard deviation of generated weights, divided by that of samples

All three see the same samples of one chain, have the same generator and critic,
and the losses and optimisers of their papers; see `bdlzoo.families.gan_losses`. A
generator with the accuracy but without the spread makes one network again and again,
and has not learnt the posterior.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, which finds WGAN-GP the fastest and the most stable.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.core import noise
from bdlzoo.evaluation.detection import detection
from bdlzoo.evaluation.outside_sets import outside_sets
from bdlzoo.methods import AdversarialPosteriorDistillation
from tools.reproduce.mnist_posteriors import GAN_BATCH, generated_accuracy, trained
from tools.reproduce.table import Row, Table

_POINTS = range(250, 1501, 250)  # Steps of the generator.

TABLE = Table(
    name="generator_modes",
    title="GAN, WGAN and WGAN-GP as generators of networks",
    subject="Posteriors of weights",
    metrics=("sampled", *(f"generated_{step}" for step in _POINTS), "bald_sampled",
             *(f"bald_{step}" for step in _POINTS),
             *(f"spread_{step}" for step in _POINTS)),
    rows=tuple(Row(mode, "generator_modes", changes=dict(mode=mode))
               for mode in ("gan", "wgan", "wgan_gp")),
    note="Our own table; the paper shows that WGAN-GP is the fastest and the most "
         "stable. fcNN1, 20 units, after so many steps of the generator. Accuracy: "
         "mean test accuracy of single networks. AUROC: that of the mutual "
         "information of 20 of them against KMNIST. Spread: the standard deviation of "
         "their weights, divided by that of the samples that they learn from.",
    num_seeds=1,
    headline=tuple((mode, "spread_1500") for mode in ("gan", "wgan", "wgan_gp")))


def run(seed=0, mode="wgan_gp", gan_steps=1500, every=250, width=20, count=20,
        rows=2000, name="mnist", outside="kmnist", verbose=0, **options):
    """Curves of one mode.

    Args:
        seed: Integer.
        mode: `"gan"`, `"wgan"` or `"wgan_gp"`.
        gan_steps: Integer, steps of the generator.
        every: Integer, steps from point to point.
        width: Integer, units of the generator.
        count: Integer, networks that are generated for a point.
        rows: Integer, test images of a point.
        name: Name of the set of images.
        outside: Name of the other set.
        verbose: See `keras.Model.fit`.
        **options: See `mnist_posteriors.trained`.

    Returns:
        Dict of floats: `generated_STEPS`, `bald_STEPS` and `spread_STEPS` for each
        point, and `sampled` and `bald_sampled`, those of the chain's own samples.
    """
    test = data.load(name, "test", seed=seed, validation=0)
    test = test.x[:rows], test.y[:rows]
    strange = outside_sets([outside], test[0], seed=seed)[outside]
    sampler = trained(seed, "sgld", name=name, verbose=verbose, **options)
    samples = np.reshape(sampler.kept_samples(), [-1, sampler.flat.size])
    model = AdversarialPosteriorDistillation.from_sampler(
        sampler, width=width, mode=mode, gan_batch=GAN_BATCH)
    scores = {"sampled": generated_accuracy(sampler, test, count),
              "bald_sampled": bald(sampler, test[0], strange, count)}

    class Points(keras.callbacks.Callback):
        """Scores generated networks at the end of an epoch."""

        def on_epoch_end(self, epoch, logs=None):
            step = (epoch + 1) * every
            model.num_learnt.assign(step)
            weights = model.gan.generate(count, noise.key(seed, noise.PREDICT))
            scores.update({
                f"generated_{step}": generated_accuracy(model, test, count),
                f"bald_{step}": bald(model, test[0], strange, count),
                f"spread_{step}": spread(weights) / spread(samples)})

    model.distill(samples, gan_steps, [Points()], verbose, every)
    return scores


def bald(model, known, strange, count):
    """AUROC of the mutual information of so many networks.

    Args:
        model: `PredictiveModel` of classes.
        known: Inputs of the test set.
        strange: Inputs of the other set.
        count: Integer, networks.
    """
    return detection(*(np.asarray(model.predict_uncertainty(
        x, num_samples=count).mutual_information) for x in (known, strange)))["auroc"]


def spread(weights):
    """Standard deviation over rows `[n, D]`, a mean over coordinates."""
    return float(np.mean(np.std(weights, axis=0, ddof=1)))
