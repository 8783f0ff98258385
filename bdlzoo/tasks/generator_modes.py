"""GAN, WGAN and WGAN-GP as generators of networks.

    the mean test accuracy of single generated networks over generator steps

All three see the same samples of one chain, have the same generator and critic,
and the losses and optimisers of their papers; see `bdlzoo.model.weight_gan`.

Reference: Wang et al., Adversarial Distillation of Bayesian Neural Network
Posteriors, ICML 2018, which finds WGAN-GP the fastest and the most stable.
"""

import keras

from bdlzoo import data
from bdlzoo.methods import AdversarialPosteriorDistillation
from bdlzoo.tasks.mnist_posteriors import GAN_BATCH, generated_accuracy, trained


def run(seed=0, mode="wgan_gp", **options):
    """Scores of one curve.

    Args:
        seed: Integer.
        mode: `"gan"`, `"wgan"` or `"wgan_gp"`.
        **options: See `curve`.

    Returns:
        Dict of floats: `generated_STEPS` for each point of the curve, and
        `sampled`, the same accuracy of the chain's own samples.
    """
    points, sampled = curve(seed, mode, **options)
    return {"sampled": sampled,
            **{f"generated_{step}": accuracy for step, accuracy in points}}


def curve(seed=0, mode="wgan_gp", gan_steps=1500, every=250, width=20, count=20,
          rows=2000, name="mnist", verbose=0, **options):
    """Accuracy of generated networks over steps.

    Args:
        seed: Integer.
        mode: `"gan"`, `"wgan"` or `"wgan_gp"`.
        gan_steps: Integer, steps of the generator.
        every: Integer, steps from point to point.
        width: Integer, units of the generator.
        count: Integer, networks that are generated for a point.
        rows: Integer, test images of a point.
        name: Name of the set of images.
        verbose: See `keras.Model.fit`.
        **options: See `mnist_posteriors.trained`.

    Returns:
        List of pairs of steps and accuracy, and that of the samples.
    """
    test = data.load(name, "test", seed=seed, validation=0)
    test = test.x[:rows], test.y[:rows]
    sampler = trained(seed, "sgld", name=name, verbose=verbose, **options)
    model = AdversarialPosteriorDistillation.from_sampler(
        sampler, width=width, mode=mode, gan_batch=GAN_BATCH)
    points = []

    class Points(keras.callbacks.Callback):
        """Looks at generated networks at the end of an epoch."""

        def on_epoch_end(self, epoch, logs=None):
            model.num_learnt.assign((epoch + 1) * every)
            points.append(((epoch + 1) * every,
                           generated_accuracy(model, test, count)))

    model.distill(sampler.kept_samples(), gan_steps, [Points()], verbose, every)
    return points, generated_accuracy(sampler, test, count)
