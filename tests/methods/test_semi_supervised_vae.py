"""Mixture VAE with few labels: its bound and steps against closed forms."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

import bdlzoo
from bdlzoo import runs
from bdlzoo.core import noise
from bdlzoo.estimators import DirectOptimization, GumbelSoftmax
from bdlzoo.methods import SemiSupervisedVAE

CLASSES, LATENT, WIDTH, NOISE = 3, 2, 4, 0.5
RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, WIDTH)).astype("float32")
Y = np.arange(12, dtype="int32") % CLASSES
U = RNG.normal(size=(8, WIDTH)).astype("float32")


def _dense(inputs, outputs, **kwargs):
    return keras.Sequential([keras.Input((inputs,)),
                             keras.layers.Dense(outputs, **kwargs)])


def _linear(**kwargs):
    """A mixture of linear Gaussian models, and the log densities of its classes."""
    keras.utils.set_random_seed(1)
    model = SemiSupervisedVAE(
        _dense(WIDTH, CLASSES), _dense(WIDTH, 2 * CLASSES * LATENT),
        _dense(CLASSES * LATENT, WIDTH), input_likelihood={
            "type": "GaussianPixels", "noise_scale": NOISE, "learn_noise": False},
        seed=2, **kwargs)
    model.compile(keras.optimizers.SGD(0.1))
    model.build((None, WIDTH))
    return model


def _at_posterior(model):
    """Puts the encoder where it is the exact posterior of each class."""
    rng = np.random.default_rng(3)
    shift = rng.normal(size=WIDTH)
    means, scales, kernels, laws = [], [], [], []
    for _ in range(CLASSES):
        basis, _ = np.linalg.qr(rng.normal(size=(WIDTH, LATENT)))
        weights = basis * rng.uniform(0.5, 2.0, size=LATENT)  # Orthogonal columns.
        precision = np.sum(weights**2, axis=0) + NOISE**2
        means.append(weights / precision)
        scales.append(0.5 * np.log(NOISE**2 / precision))
        kernels.append(weights.T)
        laws.append(stats.multivariate_normal(
            shift, weights @ weights.T + NOISE**2 * np.eye(WIDTH)))
    to_mean, log_scale = np.concatenate(means, axis=1), np.concatenate(scales)
    model.encoder.set_weights([
        np.concatenate([to_mean, np.zeros_like(to_mean)], axis=1),
        np.concatenate([-shift @ to_mean, log_scale])])
    model.decoder.set_weights([np.concatenate(kernels), shift])
    return np.stack([law.logpdf(X) for law in laws], axis=1)  # [B, K]


def test_bound_sums_over_classes_and_is_the_evidence_of_each():
    model = _linear()
    densities = _at_posterior(model)
    logits = X @ model.network.get_weights()[0]
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = np.sum(probs * (np.log(probs * CLASSES) - densities), axis=1)
    # All rows share their draws: a code moves the loss by a share of eps^2 / 2.
    error = 4 * np.sqrt(LATENT / 2 / 2000)
    np.testing.assert_allclose(model.bound(X, 2000), expected, atol=error)
    scores = model.evaluate(X, Y, verbose=0, return_dict=True)
    np.testing.assert_allclose(scores["bound"], model.bound(X).mean(), rtol=1e-5)
    np.testing.assert_allclose(scores["sampled_accuracy"],
                               probs[np.arange(12), Y].mean(), rtol=1e-4)
    code = model.encode(X)
    np.testing.assert_allclose(code.probs, probs, rtol=1e-4)
    np.testing.assert_allclose(code.entropy, -np.sum(probs * np.log(probs), axis=1),
                               rtol=1e-4)
    np.testing.assert_array_equal(code.label, probs.argmax(axis=1))


def test_log_likelihood_sums_over_classes():
    """There the proposal is the posterior: every weight is p(x | z)."""
    model = _linear()
    expected = np.log(np.mean(np.exp(_at_posterior(model)), axis=1))
    for draws in (1, 3):
        np.testing.assert_allclose(model.log_likelihood(X, draws, seed=4), expected,
                                   rtol=1e-4, atol=1e-4)


def _slopes(model, **kwargs):
    """Logs of a step, and its gradients in the biases of classifier and decoder."""
    biases = model.network.weights[1], model.decoder.weights[0]
    with tf.GradientTape() as tape:
        logs, _ = model.objective(tf.constant(X), tf.constant(Y), None, noise.key(5),
                                  **kwargs)
    return logs, *(np.asarray(slope) for slope in tape.gradient(
        logs["loss"], [b.value for b in biases]))


def _keys(place):
    """Keys of network, class and codes for rows with (0) or without (1) a label."""
    key = noise.fold_in(noise.key(5), place)
    return [noise.fold_in(key, each) for each in range(3)]


def _drawn(logits, key):
    gumbels = np.asarray(noise.gumbel([1, len(logits), 1, CLASSES], key))
    return logits + gumbels[0, :, 0]


def _class_losses(model, x, key, kl_weight=1.0):
    """Losses of all classes by hand, `[B, K]`, and the codes `[B, K, D]`."""
    mean, log_scale = np.split(model.encoder(x).numpy(), 2, axis=1)
    mean, log_scale = (part.reshape(-1, CLASSES, LATENT) for part in (mean, log_scale))
    unit = np.asarray(noise.normal([len(x), 1, LATENT], noise.fold_in(key, 0)))
    codes = mean + np.exp(log_scale) * unit
    kernel, shift = model.decoder.get_weights()
    outputs = np.einsum("bkd,kdw->bkw", codes,
                        kernel.reshape(CLASSES, LATENT, WIDTH)) + shift
    nll = -stats.norm.logpdf(x[:, None], outputs, NOISE).sum(axis=-1)
    kl = 0.5 * np.sum(mean**2 + np.exp(2 * log_scale) - 2 * log_scale - 1, axis=-1)
    return nll + kl_weight * kl, codes, outputs


def test_step_on_labels_is_direct_loss_minimisation():
    model = _linear(label_epsilon=0.05)
    logs, slope, _ = _slopes(model)
    logits = model.network(X).numpy()
    _, class_key, code_key = _keys(0)
    drawn = _drawn(logits, class_key).argmax(axis=1)
    expected = (np.eye(CLASSES)[drawn] - np.eye(CLASSES)[Y]) / 0.05
    np.testing.assert_allclose(slope, expected.mean(axis=0), rtol=1e-4, atol=1e-5)
    losses, *_ = _class_losses(model, X, code_key)
    np.testing.assert_allclose(
        logs["loss"], losses[np.arange(12), Y].mean() + np.mean(drawn != Y), rtol=1e-5)
    log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(logs["nll"], -log_probs[np.arange(12), Y].mean(),
                               rtol=1e-5)


def test_step_without_labels_compares_classes_and_trains_the_drawn_one():
    """With a weighed KL, which the comparison has too."""
    model = _linear(estimator=DirectOptimization(0.7), kl_weight=3.0)
    logs, slope, decoder_slope = _slopes(model, unlabelled=tf.constant(U))
    alone, label_slope, _ = _slopes(model)
    _, class_key, code_key = _keys(1)
    losses, codes, outputs = _class_losses(model, U, code_key, 3.0)
    noisy = _drawn(model.network(U).numpy(), class_key)
    first, second = noisy.argmax(axis=1), (noisy - 0.7 * losses).argmax(axis=1)
    assert (first != second).any()
    gap = (np.eye(CLASSES)[first] - np.eye(CLASSES)[second]) / 0.7
    # Of 20 rows, 12 have a label; those of labels are means over these.
    np.testing.assert_allclose(slope, label_slope + gap.sum(axis=0) / 20, rtol=1e-4,
                               atol=1e-5)
    drawn_logits = _drawn(model.network(X).numpy(), _keys(0)[1])
    wrong = np.mean(drawn_logits.argmax(axis=1) != Y)
    rows = losses[np.arange(8), first].sum()
    np.testing.assert_allclose(
        logs["loss"], (rows + 12 * (alone["loss"] - wrong)) / 20 + wrong, rtol=1e-5)
    # Only the drawn class moves the decoder.
    expected = np.zeros((CLASSES, LATENT, WIDTH))
    for x, key, chosen in ((X, _keys(0)[2], Y), (U, code_key, first)):
        _, codes, outputs = _class_losses(model, x, key)
        for row, label in enumerate(chosen):
            push = (outputs[row, label] - x[row]) / NOISE**2
            expected[label] += np.outer(codes[row, label], push) / 20
    np.testing.assert_allclose(decoder_slope, expected.reshape(-1, WIDTH), rtol=1e-3,
                               atol=1e-4)


def test_relaxed_classes_reach_the_decoder():
    model = _linear(estimator=GumbelSoftmax(0.5))
    logs, slope, _ = _slopes(model, unlabelled=tf.constant(U))
    alone, label_slope, _ = _slopes(model)
    _, class_key, code_key = _keys(1)
    noisy = _drawn(model.network(U).numpy(), class_key) / 0.5
    relaxed = np.exp(noisy - noisy.max(axis=1, keepdims=True))
    relaxed /= relaxed.sum(axis=1, keepdims=True)
    losses, codes, outputs = _class_losses(model, U, code_key)
    shift = model.decoder.get_weights()[1]
    mixed = np.einsum("bk,bkw->bw", relaxed, outputs - shift) + shift
    nll = -stats.norm.logpdf(U, mixed, NOISE).sum(axis=1)
    own = -stats.norm.logpdf(U[:, None], outputs, NOISE).sum(axis=-1)
    rows = nll + np.sum(relaxed * (losses - own), axis=1)
    wrong = np.mean(_drawn(model.network(X).numpy(), _keys(0)[1]).argmax(axis=1) != Y)
    np.testing.assert_allclose(
        logs["loss"], (rows.sum() + 12 * (alone["loss"] - wrong)) / 20 + wrong,
        rtol=1e-4)
    # The gradient is that of this loss, by a difference.
    bias, sides = model.network.weights[1], []
    for shift in (0.01, -0.01):
        bias.assign(shift * np.eye(CLASSES)[0])
        sides.append(float(_slopes(model, unlabelled=tf.constant(U))[0]["loss"]))
    np.testing.assert_allclose((slope - label_slope)[0], (sides[0] - sides[1]) / 0.02,
                               rtol=0.02, atol=1e-3)


def test_kl_of_the_class_is_trained_where_it_is_asked_for():
    logs, *_ = _slopes(_linear())
    trained = _linear(train_kl=True)
    with_kl, *_ = _slopes(trained)
    probs = trained.encode(X).probs
    kl = np.sum(probs * np.log(probs * CLASSES), axis=1).mean()
    np.testing.assert_allclose(with_kl["loss"] - logs["loss"], kl, rtol=1e-3)


def test_weight_of_the_kl_follows_a_schedule_and_is_saved(tmp_path):
    schedule = bdlzoo.ExponentialFall(4.0, 0.1, floor=1.0)
    model = _linear(kl_weight=schedule)
    for step in (0, 5):
        model.optimizer.iterations.assign(step)
        logs, *_ = _slopes(model)
        model.kl_weight = float(schedule(step))
        fixed, *_ = _slopes(model)
        np.testing.assert_allclose(logs["loss"], fixed["loss"], rtol=1e-5)
        model.kl_weight = schedule
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.kl_weight.get_config() == schedule.get_config()
    assert isinstance(loaded.estimator, DirectOptimization)


def test_first_steps_are_for_labels_alone():
    model, whole = _linear(label_steps=2), _linear()
    for step, expected in ((1, _slopes(whole)),
                           (2, _slopes(whole, unlabelled=tf.constant(U)))):
        model.optimizer.iterations.assign(step)
        found = _slopes(model, unlabelled=tf.constant(U))
        np.testing.assert_allclose(found[0]["loss"], expected[0]["loss"], rtol=1e-6)
        for mine, other in zip(found[1:], expected[1:], strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-6)


def test_class_of_a_label_decodes_as_itself():
    model = _linear()
    kernel, shift = model.decoder.get_weights()
    found = model.generate(5, labels=1, seed=3)
    blocks = kernel.reshape(CLASSES, LATENT, WIDTH)
    codes = (found - shift) @ np.linalg.pinv(blocks[1])
    np.testing.assert_allclose(codes @ blocks[1] + shift, found, atol=1e-5)
    # The same codes, as another class; and fewer are the first of more.
    np.testing.assert_allclose(model.generate(3, labels=[2, 2, 2], seed=3),
                               codes[:3] @ blocks[2] + shift, atol=1e-4)
    drawn = model.generate(600, seed=3)
    every = np.stack([model.generate(600, labels=k, seed=3) for k in range(CLASSES)])
    chosen = np.abs(every - drawn).max(axis=-1).argmin(axis=0)
    np.testing.assert_allclose(every[chosen, np.arange(600)], drawn, atol=1e-6)
    np.testing.assert_allclose(np.bincount(chosen) / 600, 1 / CLASSES, atol=0.08)


def test_transfer_keeps_the_noise():
    """So its mean over the classes is the reconstruction, to the last digits."""
    model = _linear(num_samples=2)
    every = np.stack([model.transfer(X, k) for k in range(CLASSES)], axis=1)
    np.testing.assert_allclose(
        np.sum(model.encode(X).probs[..., None] * every, axis=1), model.reconstruct(X),
        rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(model.transfer(X, Y), every[np.arange(12), Y], rtol=1e-5)
    np.testing.assert_allclose(model.transfer(X[5:6], 1)[0], every[5, 1], rtol=1e-4)
    # Codes are read off the linear decoder: one noise for all rows and classes.
    code = model.encode(X)
    kernel, shift = model.decoder.get_weights()
    inverse = np.linalg.pinv(kernel.reshape(CLASSES, LATENT, WIDTH))
    found = np.einsum("bkw,kwd->bkd", every - shift, inverse)
    units = (found - code.mean) / code.scale
    np.testing.assert_allclose(units, np.broadcast_to(units[0, 0], units.shape),
                               atol=1e-3)
    assert np.abs(units).max() > 0.1


def test_few_labels_suffice_where_classes_are_apart():
    """With rows without a label marked by -1."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, CLASSES, size=300).astype("int32")
    places = 3.0 * np.eye(CLASSES, WIDTH)
    x = (places[y] + 0.5 * rng.normal(size=(300, WIDTH))).astype("float32")
    model = _linear(label_steps=20)
    model.compile(keras.optimizers.Adam(0.05))
    model.fit(x, bdlzoo.data.keep_labels(y, 6), batch_size=50, epochs=20, verbose=0)
    assert np.mean(model.encode(x).label == y) > 0.97


def _networks(classes=10, latent=3, codes=None):
    return (bdlzoo.networks.MLP((4, 4, 1), (8,), classes),
            bdlzoo.networks.MLP((4, 4, 1), (8,), 2 * classes * latent),
            bdlzoo.networks.MLP((codes or classes * latent,), (8,), 16))


IMAGES = np.random.default_rng(1).uniform(size=(9, 4, 4, 1)).astype("float32")


def _small(**kwargs):
    model = SemiSupervisedVAE(*_networks(), seed=0, num_samples=2, **kwargs)
    model.compile("adam")
    model.build((None, 4, 4, 1))
    return model


@pytest.mark.parametrize("labels", [10, -1, 2.5, [1, 2], [0] * 8 + [11]])
def test_labels_outside_the_classes_are_refused(labels):
    model = _small()
    with pytest.raises(ValueError, match="an integer from 0 to 9"):
        model.transfer(IMAGES, labels)
    with pytest.raises(ValueError, match="an integer from 0 to 9"):
        model.generate(9, labels)


def test_parts_that_do_not_fit_are_refused():
    network, encoder, decoder = _networks()
    for parts, words in (
            ((network, bdlzoo.networks.MLP((4, 4, 1), (8,), 61), decoder), "2 K D"),
            ((network, encoder, bdlzoo.networks.MLP((20,), (8,), 16)),
             "decoder of rows of 30 numbers"),
            ((network, encoder, bdlzoo.networks.MLP((30,), (8,), 17)), "16 outputs"),
            ((bdlzoo.networks.MLP((4, 4, 1), (8,), 10, layer="DenseFlipout"), encoder,
              decoder), "without variational layers"),
            ((network, encoder, decoder, {"type": "Categorical", "from_logits": False}),
             "gives logits of")):
        with pytest.raises(ValueError, match=words):
            SemiSupervisedVAE(*parts).build((None, 4, 4, 1))
    for options, words in ((dict(label_epsilon=0.0), "label_epsilon"),
                           (dict(label_steps=-1), "label_steps"),
                           (dict(kl_weight=0.0), "kl_weight")):
        with pytest.raises(ValueError, match=words):
            SemiSupervisedVAE(network, encoder, decoder, **options)


def test_rows_that_cannot_be_learnt_from_are_refused():
    model, y = _small(), np.zeros(9, "int32")
    for data, words in (
            (dict(x=IMAGES, y=y - 1), "at least one row with a label"),
            (dict(x=IMAGES, y=y + 10), "class indices from 0 to 9"),
            (dict(x=IMAGES, y=y, unlabelled=2 * IMAGES), "pixels from 0 to 1"),
            (dict(x=2 * IMAGES, y=y), "pixels from 0 to 1"),
            (dict(x=IMAGES, y=y, unlabelled=IMAGES[:, :3]), "shape"),
            (dict(x=IMAGES), "targets")):
        with pytest.raises(ValueError, match=words):
            model.fit(**data, verbose=0)
    with pytest.raises(ValueError, match="pixels from 0 to 1"):
        model.bound(2 * IMAGES)
    with pytest.raises(ValueError, match="num_samples=0"):
        model.generate(0)


def test_served_labels_are_checked():
    model = _small()
    transfer, _ = model.endpoints()["transfer"]
    found = transfer(tf.constant(IMAGES), tf.fill([9], 4))
    np.testing.assert_allclose(found["reconstruction"], model.transfer(IMAGES, 4),
                               rtol=1e-5)
    generate, _ = model.endpoints()["generate_labelled"]
    found = generate(tf.constant([4, 5]), tf.constant([[7, 0]]))
    np.testing.assert_allclose(found["samples"], model.generate(2, [4, 5], seed=7),
                               rtol=1e-5)
    for labels in (-1, 10):
        with pytest.raises(tf.errors.InvalidArgumentError, match="labels from 0 to 9"):
            transfer(tf.constant(IMAGES), tf.fill([9], labels))


def test_pictures_are_a_class_a_row():
    found = _small().pictures(IMAGES)
    assert found["samples"][1]["images"].shape == (10, 10, 4, 4, 1)
    assert found["transfer"][1]["images"].shape == (9, 12, 4, 4, 1)


@pytest.mark.slow
def test_run_trains_on_the_labels_of_its_config(tmp_path):
    config = runs.read_config("digits/semi_supervised_vae.py", "smoke")
    config.data.update(limit=200, labels=20)
    metrics = runs.open_run(config, tmp_path).complete(verbose=0)
    assert {"accuracy", "nll", "ece"} <= set(metrics)
