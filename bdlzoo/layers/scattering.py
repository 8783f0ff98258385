"""Scattering features: moduli of wavelets, averaged; nothing is learnt.

    S_0   = x * phi                                           phi: a Gaussian of 2**J
    S_1   = |x * psi_a| * phi
    S_12  = ||x * psi_a| * psi_b| * phi,    scale of b above that of a

Morlet wavelets psi at scales 2**j, j < J, and L angles. Every step is a convolution, by
FFT on an image with mirrored borders, or a modulus, so that the features move little
when the image is moved or bent: by at most a constant times the size of the gradient of
the deformation. One in 2**J pixels is kept.

Reference: Bruna and Mallat, Invariant Scattering Convolution Networks, TPAMI 2013.
"""

import keras
import numpy as np
import tensorflow as tf


@keras.saving.register_keras_serializable(package="bdlzoo")
class Scattering(keras.layers.Layer):
    """Computes the scattering features of images.

    Args:
        scale: Integer, J: features are averages over about 2**J pixels.
        num_angles: Integer, angles of the wavelets, evenly in half a turn.
        order: Integer, 1 or 2, largest number of moduli in a row.
        **kwargs: Other arguments of `keras.layers.Layer`, such as `dtype`.

    Input shape: `[B, H, W, C]`. Output shape: `[B, H / 2**J, W / 2**J, C K]`, sizes
    rounded down, with K = 1 + J L + J (J - 1) / 2 L**2 paths of each channel.

    Example:

        network = keras.Sequential([keras.Input((28, 28, 1)), Scattering(scale=2),
                                    keras.layers.Flatten(), keras.layers.Dense(10)])
    """

    def __init__(self, scale=2, num_angles=8, order=2, **kwargs):
        super().__init__(**kwargs)
        if scale < 1 or num_angles < 1 or order not in (1, 2):
            raise ValueError(
                "Expected a scale and a number of angles of at least 1, and order 1 or "
                f"2. Received: scale={scale}, num_angles={num_angles}, order={order}")
        self.scale = scale
        self.num_angles = num_angles
        self.order = order

    def build(self, input_shape):
        sides = input_shape[1:3]
        step = 2**self.scale
        if None in sides or min(sides) <= step:
            raise ValueError(
                f"Expected images of known sides above 2**scale = {step}. Received: "
                f"input_shape={tuple(input_shape)}")
        # Mirrored borders of one averaging window, and a whole number of steps.
        self._padded = [(side // step + 3) * step for side in sides]
        self._before = [(whole - side) // (2 * step) * step
                        for whole, side in zip(self._padded, sides)]
        self._reflect = [
            (before, whole - side - before) for whole, side, before in zip(
                self._padded, sides, self._before)]
        self._phi = low_pass(self._padded, self.scale)
        self._psi = wavelets(self._padded, self.scale, self.num_angles)  # [J, L, ...]
        super().build(input_shape)

    def call(self, inputs):
        images = tf.transpose(tf.cast(inputs, tf.float32), [0, 3, 1, 2])  # [B, C, ...]
        images = _mirrored(images, self._reflect)
        spectrum = _fft(images[:, :, None])  # [B, C, 1, H, W]
        firsts, seconds = [], []
        for j in range(self.scale):
            first = _fft(_modulus(spectrum, self._psi[j]))  # [B, C, L, H, W]
            firsts.append(first)
            if self.order == 2:
                for k in range(j + 1, self.scale):
                    second = _modulus(first[:, :, :, None], self._psi[k])
                    seconds.append(_fft(tf.reshape(second, [
                        -1, second.shape[1], self.num_angles**2, *self._padded])))
        every = tf.concat([spectrum, *firsts, *seconds], axis=2) * tf.cast(
            self._phi, tf.complex64)
        means = tf.math.real(tf.signal.ifft2d(every))  # [B, C, K, H, W]
        step = 2**self.scale
        rows, columns = (slice(before, before + (side // step) * step, step)
                         for before, side in zip(self._before, inputs.shape[1:3]))
        kept = tf.transpose(means[..., rows, columns], [0, 3, 4, 1, 2])
        shape = self.compute_output_shape(inputs.shape)
        return tf.cast(tf.reshape(kept, [-1, *shape[1:]]), self.compute_dtype)

    def compute_output_shape(self, input_shape):
        step, angles = 2**self.scale, self.num_angles
        paths = 1 + self.scale * angles
        if self.order == 2:
            paths += self.scale * (self.scale - 1) // 2 * angles**2
        batch, height, width, channels = input_shape
        return batch, height // step, width // step, channels * paths

    def get_config(self):
        return {**super().get_config(), "scale": self.scale,
                "num_angles": self.num_angles, "order": self.order}


def low_pass(sides, scale):
    """Spectrum `[H, W]` of the Gaussian that averages, 1 at frequency 0."""
    spectrum = np.fft.fft2(_gabor(sides, 0.8 * 2**(scale - 1), 0.0, 0.0, 1.0)).real
    return (spectrum / spectrum[0, 0]).astype("float32")


def wavelets(sides, scale, num_angles):
    """Spectra `[J, L, H, W]` of Morlet wavelets, which have no mean."""
    return np.stack([[_morlet(sides, j, angle * np.pi / num_angles, 4 / num_angles)
                      for angle in range(num_angles)] for j in range(scale)])


def _morlet(sides, j, angle, slant):
    width, frequency = 0.8 * 2**j, 0.75 * np.pi / 2**j
    wave = _gabor(sides, width, frequency, angle, slant)
    envelope = _gabor(sides, width, 0.0, angle, slant)
    wave -= wave.sum() / envelope.sum() * envelope
    return np.fft.fft2(wave).real.astype("float32")


def _gabor(sides, width, frequency, angle, slant):
    """A plane wave under a Gaussian, on a torus, with an integral of about 1."""
    height, breadth = sides
    result = np.zeros(sides, "complex128")
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    for wrap in np.ndindex(5, 5):  # Copies of the torus that reach into the image.
        rows = np.arange(height)[:, None] + (wrap[0] - 2) * height
        columns = np.arange(breadth)[None] + (wrap[1] - 2) * breadth
        along = turn[0, 0] * rows + turn[0, 1] * columns
        across = turn[1, 0] * rows + turn[1, 1] * columns
        result += np.exp(-(along**2 + (slant * across)**2) / (2 * width**2)
                         + 1j * frequency * along)
    return result / (2 * np.pi * width**2 / slant)


def _modulus(spectrum, filters):
    return tf.abs(tf.signal.ifft2d(spectrum * tf.cast(filters, tf.complex64)))


def _fft(images):
    return tf.signal.fft2d(tf.cast(images, tf.complex64))


def _mirrored(images, margins):
    """Images with mirrored borders, also wider ones than the image."""
    for axis, (before, after) in zip((2, 3), margins):
        side = images.shape[axis]
        places = np.abs(np.arange(-before, side + after))
        period = max(2 * (side - 1), 1)
        places = places % period
        images = tf.gather(images, np.minimum(places, period - places), axis=axis)
    return images
