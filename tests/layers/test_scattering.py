"""Scattering features: what they keep, what they forget, and by which sums."""

import keras
import numpy as np
import pytest
from scipy import signal

from bdlzoo.layers import Scattering
from bdlzoo.layers.scattering import low_pass, wavelets

RNG = np.random.default_rng(0)


def _blob(row, column, side=32):
    rows, columns = np.mgrid[:side, :side]
    bump = np.exp(-((rows - row)**2 + 0.3 * (columns - column)**2) / 8)
    return bump[None, ..., None].astype("float32")


def test_features_are_those_of_plain_convolutions():
    """Of the torus, without FFT: a sum over all shifts, by SciPy."""
    layer = Scattering(scale=2, num_angles=2)
    x = RNG.uniform(size=(1, 12, 12, 1)).astype("float32")
    found = layer(x).numpy()[0]
    padded = np.pad(x[0, ..., 0], layer._reflect, "reflect")

    def convolved(image, spectrum):
        kernel = np.fft.ifft2(spectrum)
        wide = np.tile(image, (2, 2))  # A torus.
        full = signal.convolve2d(wide, kernel, "valid")
        size = len(image)
        return np.roll(full[:size, :size], (size - 1, size - 1), (0, 1))

    psi, phi = wavelets(padded.shape, 2, 2), low_pass(padded.shape, 2)
    first = {(j, a): np.abs(convolved(padded, psi[j, a]))
             for j in range(2) for a in range(2)}
    second = [np.abs(convolved(first[0, a], psi[1, b]))
              for a in range(2) for b in range(2)]
    maps = [padded, *first.values(), *second]
    (top, _), (left, _) = layer._reflect
    expected = np.stack([convolved(m, phi).real[top:top + 12:4, left:left + 12:4]
                         for m in maps], axis=-1)
    assert found.shape == (3, 3, 9)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_constant_images_have_only_their_mean():
    found = Scattering(2, 4)(0.7 * np.ones([1, 16, 16, 1], "float32")).numpy()
    np.testing.assert_allclose(found[..., 0], 0.7, atol=1e-4)
    assert np.abs(found[..., 1:]).max() < 1e-3


def test_a_move_by_a_window_moves_the_features_by_a_place():
    layer = Scattering(2, 4)
    here, there = (layer(_blob(16, column)).numpy() for column in (14, 18))
    np.testing.assert_allclose(here[:, 2:6, 2:6], there[:, 2:6, 3:7], atol=2e-3)


def test_a_small_move_changes_features_less_than_pixels():
    here, there = _blob(16, 15), _blob(16, 17)
    changes = [np.linalg.norm(here - there) / np.linalg.norm(here)]
    for scale in (2, 3, 4):
        a, b = (Scattering(scale, 4)(image).numpy() for image in (here, there))
        changes.append(np.linalg.norm(a - b) / np.linalg.norm(a))
    assert changes == sorted(changes, reverse=True) and changes[-1] < changes[0] / 2


def test_wavelets_have_no_mean_and_cover_the_frequencies():
    psi, phi = wavelets((32, 32), 3, 8), low_pass((32, 32), 3)
    assert np.abs(psi[..., 0, 0]).max() < 1e-6 and phi[0, 0] == 1.0
    # Littlewood-Paley: for real images a wavelet counts at both signs.
    total = phi**2 + 0.5 * np.sum(psi**2 + np.roll(
        psi[..., ::-1, ::-1], (1, 1), (-2, -1))**2, axis=(0, 1))
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(32), np.fft.fftfreq(32)))
    inside = total[frequency < 0.4]
    assert 0.2 < inside.min() and inside.max() < 1.6


@pytest.mark.parametrize("scale, order, channels", [(1, 2, 5), (2, 1, 9), (2, 2, 25)])
def test_shape_and_file(scale, order, channels, tmp_path):
    network = keras.Sequential([keras.Input((16, 12, 2)), Scattering(scale, 4, order)])
    x = RNG.uniform(size=(3, 16, 12, 2)).astype("float32")
    assert network.output_shape == (None, 16 // 2**scale, 12 // 2**scale, 2 * channels)
    assert network(x).shape[1:] == network.output_shape[1:]
    network.save(tmp_path / "network.keras")
    loaded = keras.saving.load_model(tmp_path / "network.keras")
    np.testing.assert_array_equal(network(x), loaded(x))


@pytest.mark.parametrize("options, shape", [
    (dict(scale=0), (8, 8, 1)), (dict(order=3), (8, 8, 1)), (dict(), (4, 4, 1))])
def test_wrong_arguments_are_named(options, shape):
    with pytest.raises(ValueError, match="Received: "):
        Scattering(**options).build((None, *shape))


def test_features_are_those_of_kymatio(monkeypatch):
    """Its package asks SciPy for a function that is gone, of its part in 3-D alone."""
    import scipy.special
    monkeypatch.setattr(scipy.special, "sph_harm", None, raising=False)
    numpy_part = pytest.importorskip("kymatio.numpy")
    x = np.concatenate([_blob(12, 12, 28), _blob(15, 13, 28)])
    theirs = numpy_part.Scattering2D(J=2, shape=(28, 28), L=8)(x[..., 0])
    turned = (3 - np.arange(8)) % 8  # It counts angles downwards, from another one.
    second = 17 + (8 * turned[:, None] + turned).ravel()
    order = np.concatenate([[0], 1 + turned, 9 + turned, second])
    ours = np.transpose(Scattering(2, 8)(x).numpy()[..., order], [0, 3, 1, 2])
    # Its mirrored borders are narrower, and it drops pixels between two moduli.
    ours, theirs = ours[..., 2:5, 2:5], theirs[..., 2:5, 2:5]
    for paths in (slice(0, 1), slice(1, 17), slice(17, None)):
        gap = np.linalg.norm((ours - theirs)[:, paths])
        assert gap < 0.01 * np.linalg.norm(theirs[:, paths])
