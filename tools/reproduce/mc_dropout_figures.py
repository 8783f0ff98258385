"""The experiments behind the figures of MC dropout.

Digits: dropout of rate 0.5 before the last layer only, SGD with learning rate
0.01 and momentum 0.9, weight decay 1e-6 as a Gaussian prior. Toys: one input, so
that the whole prediction can be drawn.

Reference: Gal and Ghahramani, Dropout as a Bayesian Approximation, ICML 2016.
"""

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.methods import MCDropout
from bdlzoo.networks import MLP, LeNet, SmallCNN

_DECAY = 1e-6


def train_digits(train, epochs, seed=0, callbacks=None):
    """Trains LeNet, or a smaller network where images are too small for it.

    Args:
        train: `Split` of images.
        epochs: Integer.
        seed: Integer.
        callbacks: See `keras.Model.fit`.

    Returns:
        The trained `MCDropout`.
    """
    keras.utils.set_random_seed(seed)  # The weights at the start.
    shape = train.x.shape[1:]
    build = LeNet if min(shape[:2]) >= 16 else SmallCNN
    network = build(shape, dropout=0.5, dropout_at="last")
    # w**2 / (2 scale**2 num_data) = decay / 2 * w**2: the decay is a prior.
    scale = (_DECAY * len(train.x)) ** -0.5
    model = MCDropout(network, prior_scale=scale, seed=seed)
    model.compile(keras.optimizers.SGD(0.01, momentum=0.9))
    model.fit(*train, batch_size=64, epochs=epochs, verbose=0,
              callbacks=callbacks)
    return model


def rotating_digit(model, test, num_samples=100):
    """Draws for a one that turns, from 0 to almost 180 degrees.

    Returns:
        Dict of `draws` `[S, 12, C]`, the turned `images`, and the
        `classes` that the draws find most probable somewhere on the way.
    """
    image = test.x[np.flatnonzero(test.y == 1)[0]]
    images = rotated(image, 15.0 * np.arange(12))
    prediction = model.predict_uncertainty(images, num_samples)
    peaks = prediction.probabilities.max(axis=0)  # [C]
    classes = sorted(np.argsort(-peaks)[:4].tolist())
    draws = model.sample_outputs(images, num_samples).numpy()
    return {"draws": draws, "images": images, "classes": classes}


def rotated(image, angles):
    """The image turned counter-clockwise by each angle, in degrees."""
    from scipy import ndimage
    return np.stack([
        ndimage.rotate(image, angle, reshape=False, order=1) for angle in angles])


def dropout_error(train, test, epochs, num_seeds=3, num_samples=50):
    """Test error after every epoch, of one pass and of the mean over draws.

    Returns:
        Dict of `epochs` and `errors`; see `bdlzoo.reports.error_curves`.
    """
    curves = []
    for seed in range(num_seeds):
        curve = _ErrorCurve(test, num_samples)
        train_digits(train, epochs, seed, callbacks=[curve])
        curves.append(curve.errors)
        print(f"  seed {seed}: error {curve.errors[-1][0]:.4f} in one pass, "
              f"{curve.errors[-1][1]:.4f} by MC dropout", flush=True)
    single, averaged = np.moveaxis(curves, -1, 0)  # [seeds, epochs] each
    return {"epochs": np.arange(1, epochs + 1), "errors": {
        "Dropout, one pass with scaled weights": single,
        f"MC dropout, mean of {num_samples} draws": averaged}}


class _ErrorCurve(keras.callbacks.Callback):
    """Keeps both test errors of every epoch."""

    def __init__(self, test, num_samples):
        super().__init__()
        self.test, self.num_samples, self.errors = test, num_samples, []

    def on_epoch_end(self, epoch, logs=None):
        x, y = self.test
        # Outside of a draw, dropout hands on the mean of its output.
        single = np.concatenate([
            self.model.network(x[start:start + 1000], training=False)
            for start in range(0, len(x), 1000)]).argmax(axis=-1)
        averaged = self.model.predict_uncertainty(x, self.num_samples).label
        self.errors.append((np.mean(single != y), np.mean(averaged != y)))


def binary_toy(epochs=1000):
    """The 1-D classification with few data, and beyond them on both sides.

    Returns:
        Dict; see `bdlzoo.reports.binary_probability`.
    """
    train = data.load("binary_toy", validation=0, num_train=24)
    model = _fit_toy(train, MLP((1,), (64, 64, 64), 1, dropout=0.3), "bernoulli",
                     epochs)
    x = np.linspace(-5.0, 5.0, 201, dtype="float32")[:, None]
    prediction = model.predict_uncertainty(x, num_samples=50)
    return {"x": x, "draws_probabilities": np.exp(prediction.log_probs)[..., 1],
            "mean": prediction.mean, "train_x": train.x, "train_y": train.y}


def heteroscedastic_toy(epochs=400):
    """The 1-D regression with a gap, and noise that grows with x.

    Returns:
        Dict; see `bdlzoo.reports.predictive_band`.
    """
    train = data.load("sine", validation=0)
    model = _fit_toy(train, MLP((1,), (128, 128, 128), 2, dropout=0.3),
                     "heteroscedastic_gaussian", epochs)
    x = np.linspace(-6.5, 6.5, 261, dtype="float32")[:, None]
    return {"x": x, "prediction": model.predict_uncertainty(x, num_samples=500),
            "train_x": train.x, "train_y": train.y, "truth": np.sin(1.5 * x)}


def _fit_toy(train, network, likelihood, epochs):
    model = MCDropout(network, likelihood, prior_scale=3.0, seed=0)
    # One long epoch: starting hundreds of short ones takes most of their time.
    x, y = (np.concatenate([part] * epochs) for part in train)
    rate = keras.optimizers.schedules.CosineDecay(3e-3, 1 + len(x) // 32)
    model.compile(keras.optimizers.Adam(rate))
    model.fit(x, y, batch_size=32, num_data=len(train.x), verbose=0)
    return model
