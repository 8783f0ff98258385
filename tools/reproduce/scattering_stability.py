"""How much features change when an image is bent or moved a little.

    change      = ||f(x_bent) - f(x)|| / ||f(x)||, the mean over images
    deformation = max |grad tau| + 2^-J max |tau|,     x_bent(u) = x(u - tau(u))
    ratio       = change / deformation

The theory of scattering bounds the change by a constant times the deformation, for all
small smooth tau; the ratio estimates that constant. Beside it stand the features of a
CNN that was trained on the same images, a kernel of patches of patches (the deep kernel
machine of Mairal and Bietti, by Nystrom's method with anchors among the patches), and
the pixels themselves.

    K(z, z') = ||z|| ||z'|| exp(4 (cos(z, z') - 1)),
    f(z)     = ||z|| (k(W, W) + 1e-3 I)^(-1/2) k(W, z / ||z||)

References: Bruna and Mallat, Invariant Scattering Convolution Networks, TPAMI 2013;
Bietti and Mairal, Invariance and Stability of Deep Convolutional Representations,
NeurIPS 2017.
"""

import functools

import keras
import numpy as np
import tensorflow as tf
from scipy import ndimage

from bdlzoo import data
from bdlzoo.layers import Scattering
from bdlzoo.layers.patches import patches
from tools.reproduce.table import Row, Table

FEATURES = ("scattering", "cnn", "kernel", "pixels")
_SCALE = 2  # J: all features are averages over four pixels, or more.
_SHARPNESS, _JITTER = 4.0, 1e-3

TABLE = Table(
    name="scattering_stability",
    title="Change of features under small deformations, MNIST",
    subject="Attacks",
    metrics=("change_bent", "change_moved", "ratio_bent", "largest_ratio"),
    rows=tuple(Row(features, "scattering_stability", {}, dict(features=features))
               for features in FEATURES),
    note="100 images, smooth random bends of a gradient of at most 0.1, and moves by "
         "one pixel. The ratio is the change by the deformation of the bound; the "
         "largest is over images.",
    num_seeds=3,
    headline=(("scattering", "largest_ratio"), ("cnn", "largest_ratio")))


def run(seed=0, features="scattering", name="mnist", num_images=100, num_train=1000,
        gradient=0.1, epochs=5, num_anchors=64):
    """Bends and moves images, and measures the change of their features.

    Args:
        seed: Integer.
        features: One of `FEATURES`.
        name: Name of a set of images.
        num_images: Integer, images that are bent.
        num_train: Integer, images that a CNN or the anchors of a kernel see.
        gradient: Float, largest derivative of a bend.
        epochs: Integer, of the CNN.
        num_anchors: Integer, patches of each layer of the kernel.

    Returns:
        Dict of floats: `change_bent`, `change_moved`, `ratio_bent`, `largest_ratio`.
    """
    if features not in FEATURES:
        raise ValueError(f"Expected one of {FEATURES}. Received: features={features!r}")
    train, test = (data.load(name, split, seed=seed, validation=0)
                   for split in ("train", "test"))
    x, train = test.x[:num_images], data.Split(*(p[:num_train] for p in train))
    read = {"scattering": lambda: Scattering(_SCALE, 8),
            "cnn": functools.partial(_cnn, train, epochs, seed),
            "kernel": functools.partial(HierarchicalKernel, train.x[:200], num_anchors,
                                        seed),
            "pixels": lambda: np.asarray}[features]()
    bends = [bend(x.shape[1:3], gradient, [seed, row]) for row in range(len(x))]
    bent = np.stack([moved(image, tau) for image, tau in zip(x, bends)])
    slid = np.roll(x, 1, axis=2)  # The borders are black.
    sizes = np.array([deformation(tau) for tau in bends])
    before, after, aside = (np.reshape(read(images), [len(x), -1])
                            for images in (x, bent, slid))
    norms = np.linalg.norm(before, axis=1)
    change, slide = (np.linalg.norm(other - before, axis=1) / norms
                     for other in (after, aside))
    return {"change_bent": float(change.mean()), "change_moved": float(slide.mean()),
            "ratio_bent": float((change / sizes).mean()),
            "largest_ratio": float((change / sizes).max())}


def bend(shape, gradient, seed):
    """A smooth random field `[2, H, W]` whose largest derivative is `gradient`."""
    generator = np.random.default_rng(seed)
    tau = np.stack([ndimage.gaussian_filter(part, 5.0, mode="reflect")
                    for part in generator.normal(size=(2, *shape))])
    return tau * gradient / _steepest(tau)


def deformation(tau, scale=_SCALE):
    """The size of a bend in the bound of scattering."""
    return _steepest(tau) + 2.0**-scale * np.abs(tau).max()


def moved(image, tau):
    """An image `[H, W, 1]`, read at `u - tau(u)`."""
    places = np.mgrid[:image.shape[0], :image.shape[1]] - tau
    return ndimage.map_coordinates(image[..., 0], places, order=1)[..., None].astype(
        "float32")


def _steepest(tau):
    return max(np.abs(np.diff(tau, axis=axis)).max() for axis in (1, 2))


def _cnn(train, epochs, seed):
    """Features of a trained CNN, before its last layer, also averages of windows."""
    keras.utils.set_random_seed(seed)
    inputs = keras.Input(train.x.shape[1:])
    x = keras.layers.Conv2D(16, 5, padding="same", activation="relu")(inputs)
    x = keras.layers.AveragePooling2D(2)(x)
    x = keras.layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    features = keras.layers.AveragePooling2D(2)(x)
    outputs = keras.layers.Dense(10)(keras.layers.Flatten()(features))
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.Adam(2e-3),
                  keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(*train, epochs=epochs, batch_size=50, verbose=0)
    return keras.Model(inputs, features)


class HierarchicalKernel:
    """Two layers of a kernel of patches, each by Nystrom and averaged over windows.

    Args:
        x: Images `[N, H, W, C]` whose patches are anchors.
        num_anchors: Integer, anchors of a layer, drawn among patches that are no
            constant.
        seed: Integer.
    """

    def __init__(self, x, num_anchors, seed=0):
        self._layers = []
        generator = np.random.default_rng(seed)
        for _ in range(2):
            windows = self._windows(x).numpy()
            flat = windows.reshape(-1, windows.shape[-1])
            flat = flat[np.linalg.norm(flat, axis=1) > 1e-3]
            anchors = flat[generator.choice(len(flat), num_anchors, replace=False)]
            anchors /= np.linalg.norm(anchors, axis=1, keepdims=True)
            values, vectors = np.linalg.eigh(kernel(anchors, anchors)
                                             + _JITTER * np.eye(num_anchors))
            root = (vectors / np.sqrt(values)) @ vectors.T
            self._layers.append((anchors, root.astype("float32")))
            x = self._layer(x, *self._layers[-1])

    def __call__(self, x):
        for layer in self._layers:
            x = self._layer(x, *layer)
        return np.asarray(x)

    @staticmethod
    def _windows(x):
        x = tf.convert_to_tensor(x, tf.float32)
        found = patches(x, (3, 3), (1, 1), "same", (1, 1))  # [B, H, W, 9, C]
        return tf.reshape(found, [*found.shape[:3], -1])

    def _layer(self, x, anchors, root):
        windows = self._windows(x)
        size = tf.norm(windows, axis=-1, keepdims=True)
        near = kernel(windows / tf.maximum(size, 1e-6), anchors)
        return tf.nn.avg_pool2d(size * tf.matmul(near, root), 2, 2, "VALID")


def kernel(unit, anchors):
    """Similarity of vectors of length one, 1 for equal ones."""
    products = unit @ anchors.T if isinstance(unit, np.ndarray) else tf.matmul(
        unit, anchors, transpose_b=True)
    exp = np.exp if isinstance(unit, np.ndarray) else tf.exp
    return exp(_SHARPNESS * (products - 1.0))
