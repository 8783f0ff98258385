"""Structured GAN: its losses by hand, its order, and the equilibrium of its games."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import bdlzoo
from bdlzoo import runs
from bdlzoo.core import noise
from bdlzoo.families.pair_game import as_false, as_real
from bdlzoo.methods import StructuredGAN
from bdlzoo.schedules import LinearRise
from tests.data import small_copies
from tests.families.pair_cases import (
    CLASSES,
    MORE,
    NETWORKS,
    WIDTH,
    X,
    Y,
    cells,
    compiled,
    fitted,
    grid_model,
    grid_step,
    networks,
    step_of,
    weights,
)
from tests.killed_fit import whole_and_resumed

LOG_2 = np.log(2.0)
# Laws of pairs on a grid of 3 x 2, in twelfths.
REAL, OTHER = [[3, 1], [2, 2], [1, 3]], [[1, 2], [3, 1], [1, 4]]
CERTAIN, UNSURE = [[4, 0], [0, 4], [4, 0]], [[3, 1], [1, 3], [2, 2]]


def _steps(model):
    """Functions that move one network each, by its name."""
    rows, made, key = step_of(model)

    def generator():
        with tf.GradientTape() as tape:
            mine = model.make(9, key)
        return model.generator_step(rows, mine, [], tape, 0, key)

    return {"network": lambda: model.classifier_step(rows, made, 0, key),
            "discriminator_xy": lambda: model.discriminator_xy_step(rows, made, 0, key),
            "discriminator_xz": lambda: model.discriminator_xz_step(rows, made, key),
            "inference": lambda: model.inference_step(rows, made, key),
            "generator": generator}


def _decayed_step(model, name):
    """A step of one network, with the losses of its layers."""
    if name != "generator":
        return _steps(model)[name]()
    rows, _, key = step_of(model)
    with tf.GradientTape() as tape:
        made, decay = model.make(9, key), model.generator.losses
    return model.generator_step(rows, made, decay, tape, 0, key)


@pytest.mark.parametrize("name", NETWORKS)
def test_each_step_moves_its_network_alone(name):
    model = compiled(generated_weight=0.5, generated_share=0.1)
    before = weights(model)
    _steps(model)[name]()
    moved = {part for part, now in weights(model).items() if any(
        not np.array_equal(a, b) for a, b in zip(before[part], now, strict=True))}
    assert moved == ({"network", "average"} if name == "network" else {name})
    counts = {each: int(getattr(model, each).iterations)
              for each in model.optimizer_names}
    mine = "optimizer" if name == "network" else f"{name}_optimizer"
    assert counts == {each: int(each == mine) for each in counts}


def test_discriminators_that_know_nothing_cost_twice_log_2():
    model = compiled(pseudo_share=0.4, generated_share=0.3)
    for part in (model.discriminator_xy, model.discriminator_xz):
        for weight in part.layers[-1].weights:
            weight.assign(tf.zeros_like(weight))
    steps = _steps(model)
    np.testing.assert_allclose(steps["discriminator_xy"](), 2 * LOG_2, rtol=1e-6)
    np.testing.assert_allclose(steps["discriminator_xz"](), 2 * LOG_2, rtol=1e-6)


def test_real_pairs_are_labelled_guessed_and_made():
    model = compiled(0.0, pseudo_share=0.5, generated_share=0.2)
    rows, made, key = step_of(model)
    choice, network = np.eye(CLASSES, dtype="float32"), model.discriminator_xy
    guessed = np.argmax(model.average(MORE), axis=-1)
    known, false = network([X, choice[Y]]), network([made.x, made.choice])
    expected = (0.3 * as_real(known) + 0.5 * as_real(network([MORE, choice[guessed]]))
                + 0.2 * as_real(false) + as_false(false))
    np.testing.assert_allclose(model.discriminator_xy_step(rows, made, 0, key),
                               expected, rtol=1e-5)


def test_shares_and_weights_follow_schedules():
    rise = LinearRise(0.8, start=10, length=10)
    rising = ("generated_weight", "style_weight", "label_weight")
    model = compiled(0.0, pseudo_share=rise, **{
        name: LinearRise(1.0 + place, 0, 20) for place, name in enumerate(rising)})
    rows, made, key = step_of(model)
    for step in (5, 15, 30):
        fixed = compiled(0.0, pseudo_share=float(rise(step)), **{
            name: (1.0 + place) * min(step / 20, 1.0)
            for place, name in enumerate(rising)})
        found, expected = ([
            each.classifier_step(rows, made, tf.constant(step), key)[0]["loss"],
            each.discriminator_xy_step(rows, made, tf.constant(step), key),
            each.generator_loss(made, tf.constant(step), key)]
            for each in (model, fixed))
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def _cross_entropy(logits, labels):
    log_probs = tf.nn.log_softmax(logits).numpy()
    return -np.mean(log_probs[np.arange(len(labels)), labels])


def test_loss_of_the_classifier_is_that_of_the_paper():
    model = compiled(0.0, entropy_weight=0.3, balance_weight=0.7, l2_weight=0.01,
                     generated_weight=0.2)
    rows, made, key = step_of(model)
    logs, outputs = model.classifier_step(rows, made, 0, key)
    probs = tf.nn.softmax(model.network(MORE)).numpy()
    entropy = -np.mean(np.sum(probs * np.log(probs), axis=1))
    expected = (
        _cross_entropy(model.network(X), Y) + 0.3 * entropy
        - 0.7 * np.mean(np.log(probs.mean(axis=0)))
        + 0.01 * sum(np.sum(np.square(layer.kernel)) for layer in model.network.layers)
        + 0.2 * _cross_entropy(model.network(made.x), np.arange(9) % CLASSES))
    np.testing.assert_allclose(logs["loss"], expected, rtol=1e-5)
    np.testing.assert_allclose(logs["entropy"], entropy, rtol=1e-5)
    np.testing.assert_allclose(outputs, model.network(X), rtol=1e-5)


def test_weights_of_rows_count_for_labels_alone():
    model = compiled(0.0, entropy_weight=0.0, balance_weight=0.0, l2_weight=0.0)
    rows, _, key = step_of(model)
    weight = tf.constant([2.0, 0.0, 1.0, 0.0, 0.0, 3.0])
    logs, _ = model.classifier_step(rows._replace(weight=weight), None, 0, key)
    log_probs = tf.nn.log_softmax(model.network(X)).numpy()[np.arange(6), Y]
    np.testing.assert_allclose(logs["loss"], -np.mean(weight * log_probs), rtol=1e-5)


@pytest.mark.parametrize("style, label", [(1.0, 1.0), (0.5, 0.0), (0.0, 2.0)])
def test_loss_of_the_generator_is_that_of_the_paper(style, label):
    model = compiled(0.0, style_weight=style, label_weight=label)
    _, made, key = step_of(model)
    error = np.sum((model.inference(made.x) - made.styles)**2, axis=1)
    expected = as_real(model.discriminator_xy([made.x, made.choice])) + style * (
        np.mean(error) / 2 + as_real(model.discriminator_xz([made.x, made.styles])))
    expected += label * _cross_entropy(model.average(made.x), np.arange(9) % CLASSES)
    np.testing.assert_allclose(model.generator_loss(made, 0, key), expected, rtol=1e-5)


def test_step_of_the_generator_follows_the_gradient_of_its_loss():
    model = compiled(0.1)
    rows, _, key = step_of(model)
    with tf.GradientTape() as tape:
        made = model.make(9, key)
        loss = model.generator_loss(made, 0, key)
    variables = model.generator.trainable_variables
    expected = [w - 0.1 * slope for w, slope in zip(
        variables, tape.gradient(loss, variables), strict=True)]
    with tf.GradientTape() as tape:
        made = model.make(9, key)
    model.generator_step(rows, made, [], tape, 0, key)
    for found, wanted in zip(variables, expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_regularisers_of_every_network_count():
    for name in NETWORKS:
        model, plain = compiled(0.1, networks(
            kernel_regularizer=keras.regularizers.L2(0.1))), compiled(0.1)
        kernel = getattr(plain, name).layers[-1].kernel
        pull = 0.1 * 0.2 * np.array(kernel)
        for each in (model, plain):
            _decayed_step(each, name)
        gap = kernel - getattr(model, name).layers[-1].kernel
        np.testing.assert_allclose(gap, pull, atol=1e-6, err_msg=name)


def test_loss_of_the_inference_network_is_that_of_the_paper():
    model, slopes = compiled(0.1), {}
    rows, made, key = step_of(model)
    variables = model.inference.trainable_variables
    with tf.GradientTape() as tape:
        styles = model.inference(MORE)
        loss = as_false(model.discriminator_xz(
            [tf.constant(MORE), styles])) + tf.reduce_mean(
            tf.reduce_sum((model.inference(made.x) - made.styles)**2, axis=1)) / 2
    slopes = tape.gradient(loss, variables)
    expected = [w - 0.1 * slope for w, slope in zip(variables, slopes, strict=True)]
    error = np.mean((model.inference(made.x) - made.styles)**2)
    np.testing.assert_allclose(model.inference_step(rows, made, key), error, rtol=1e-5)
    for found, wanted in zip(variables, expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


# Theorem 3.3, where every pair can be counted.

def _set(network, table):
    [kernel] = network.weights
    kernel.assign(np.reshape(table, kernel.shape))
    return kernel


def test_discriminator_rests_at_its_best_response():
    """There its loss is 2 log 2 minus twice the divergence of Jensen and Shannon."""
    p, q = np.array(REAL) / 12, np.array(OTHER) / 12
    model, middle = grid_model(), (p + q) / 2
    step = *grid_step(REAL, OTHER), 0
    rows, made, key, _ = step
    table = _set(model.discriminator_xy, np.log(p / q))
    divergence = np.sum(p * np.log(p / middle) + q * np.log(q / middle)) / 2
    np.testing.assert_allclose(model.discriminator_xy_step(rows, made, 0, key),
                               2 * LOG_2 - 2 * divergence, rtol=1e-5)
    np.testing.assert_allclose(np.ravel(table), np.ravel(np.log(p / q)), atol=1e-5)


def test_class_term_keeps_the_equilibrium():
    """A best response of C to the term, and then one of D, end where both rest."""
    model = grid_model(generated_weight=1.0)
    rows, made, key = grid_step(REAL, REAL)
    _set(model.network, np.ones([3, 2]) * [0.5, -0.5])
    table = _set(model.discriminator_xy, [0.3, -0.2, 0.1, 0.4, 0.0, -0.5])
    for _ in range(300):
        model.classifier_step(rows, made, 0, key)
        loss = model.discriminator_xy_step(rows, made, 0, key)
    posterior = np.array(REAL) / np.sum(REAL, axis=1, keepdims=True)
    np.testing.assert_allclose(tf.nn.softmax(model.network(np.eye(3))), posterior,
                               atol=1e-4)
    np.testing.assert_allclose(loss, 2 * LOG_2, rtol=1e-6)
    np.testing.assert_allclose(table, 0.0, atol=1e-3)
    # Without the term C ends at the same place, so it has moved nothing.
    other = grid_model()
    for _ in range(300):
        other.classifier_step(rows, made, 0, key)
    np.testing.assert_allclose(tf.nn.softmax(other.network(np.eye(3))), posterior,
                               atol=1e-4)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_guessed_labels_keep_the_equilibrium(share):
    """Where the class follows from the input, they are those of the data."""
    model = grid_model(pseudo_share=share, generated_share=0.0)
    rows, made, key = grid_step(CERTAIN, CERTAIN)
    _set(model.average, np.log(np.array(CERTAIN) / 4 + 1e-6))
    loss = model.discriminator_xy_step(rows, made, 0, key)
    np.testing.assert_allclose(loss, 2 * LOG_2, rtol=1e-6)
    np.testing.assert_allclose(
        model.discriminator_xy.trainable_variables[0], 0.0, atol=1e-7)
    # And elsewhere D finds the difference.
    rows, made, key = grid_step(CERTAIN, UNSURE)
    for _ in range(100):
        loss = model.discriminator_xy_step(rows, made, 0, key)
    assert loss < 2 * LOG_2 - 0.1


def test_style_term_keeps_the_equilibrium():
    """With one style for each input: R_z is 0, and neither I nor D moves."""
    styles = [0.0, 0.5, 1.0]
    model = grid_model()
    rows, made, key = grid_step(CERTAIN, CERTAIN, styles)
    table = _set(model.inference, [0.3, 0.9, 0.1])
    for _ in range(200):
        error = model.inference_step(rows, made, key)
        loss = model.discriminator_xz_step(rows, made, key)
    np.testing.assert_allclose(np.ravel(table), styles, atol=1e-3)
    np.testing.assert_allclose(error, 0.0, atol=1e-6)
    np.testing.assert_allclose(loss, 2 * LOG_2, rtol=1e-4)


def test_style_that_is_not_known_is_its_mean():
    """Of pairs where one input has two styles; so R_z is 0 only for an inverse."""
    model = grid_model()
    _, made, key = grid_step(UNSURE, UNSURE)
    rows, *_ = grid_step(UNSURE, UNSURE)
    for _ in range(200):
        error = model.inference_step(rows, made, key)
    share = np.array([1, 3, 2]) / 4
    np.testing.assert_allclose(model.inference(np.eye(3))[:, 0], share, atol=1e-3)
    np.testing.assert_allclose(error, np.mean(share * (1 - share)), rtol=1e-3)
    x, _ = cells(UNSURE)
    assert len(x) == 12


# What a step does with its parts.

def test_average_is_that_of_the_formula():
    kept = []
    model = compiled(average_decay=0.6)
    callback = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: kept.append(model.network.get_weights()))
    fitted(model, epochs=2, callbacks=[callback])
    average = kept[0]
    for step, now in enumerate(kept[1:], start=2):
        share = min(1 - 1 / step, 0.6)
        average = [share * a + (1 - share) * w for a, w in zip(average, now)]
    for found, expected in zip(model.average.get_weights(), average, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(model.predict(X, verbose=0),
                               tf.nn.softmax(model.average(X)), atol=1e-6)


def test_average_is_the_network_once_updates_stop():
    model, _ = fitted(compiled(average_decay=0.1), epochs=1)
    model.optimizer.learning_rate = 0.0
    fitted(model, epochs=12)
    for found, expected in zip(model.average.get_weights(),
                               model.network.get_weights(), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_classes_are_balanced_in_a_step():
    model = compiled()
    made = model.make(9, noise.key(1))
    np.testing.assert_array_equal(np.sum(made.choice, axis=0), [3, 3, 3])
    styles = np.asarray(model.make(4000, noise.key(1)).styles)
    assert styles.min() > 0 and styles.max() < 1
    np.testing.assert_allclose(styles.mean(axis=0), 0.5, atol=0.02)
    np.testing.assert_allclose(styles.var(axis=0), 1 / 12, atol=0.005)


def test_first_steps_train_the_classifier_alone():
    model = compiled(pretrain_steps=3)
    before = weights(model)
    _, logs = fitted(model)
    now = weights(model)
    for name in NETWORKS[1:]:
        for old, new in zip(before[name], now[name], strict=True):
            np.testing.assert_array_equal(old, new)
    assert logs["pair_critic"] == [0.0] and logs["loss"][0] > 0
    _, logs = fitted(model)
    assert logs["pair_critic"][0] > 0.5
    assert int(model.optimizer.iterations) == 6
    assert int(model.generator_optimizer.iterations) == 3


@pytest.mark.slow
def test_kill_in_mid_epoch_changes_no_bit(tmp_path):
    """All five optimisers come back, with the moments of Adam."""
    def model():
        made = StructuredGAN(*networks(), seed=3, pretrain_steps=2,
                             generated_weight=0.1)
        made.compile(keras.optimizers.Adam(0.01), steps_per_execution=1)
        return made

    # After the second step of the second epoch.
    whole, resumed = whole_and_resumed(model, lambda each, **options: fitted(
        each, epochs=3, **options), tmp_path, 5)
    for name in whole.optimizer_names:
        pairs = zip(getattr(whole, name).variables, getattr(resumed, name).variables,
                    strict=True)
        for mine, other in pairs:
            np.testing.assert_array_equal(mine, other, err_msg=name)
    assert int(resumed.generator_optimizer.iterations) == 7


@pytest.mark.slow
def test_classes_that_are_apart_are_learnt_from_few_labels():
    """And the generator makes the class that it is asked for."""
    rng = np.random.default_rng(7)
    y = rng.integers(0, CLASSES, size=300).astype("int32")
    x = (0.8 * np.eye(CLASSES, WIDTH)[y] + 0.1 * rng.uniform(size=(300, WIDTH)))
    model = StructuredGAN(*networks(), seed=3, pretrain_steps=60, l2_weight=0.0)
    model.compile(keras.optimizers.Adam(0.02, beta_1=0.5))
    few = bdlzoo.data.keep_labels(y, 9)
    model.fit(x.astype("float32"), few, batch_size=30, epochs=50, verbose=0)
    assert np.mean(np.argmax(model.predict(x, verbose=0), axis=-1) == y) > 0.97
    asked = np.arange(60) % CLASSES
    made = model.generate(60, labels=asked, seed=1)
    assert np.mean(made[:, :CLASSES].argmax(axis=1) == asked) > 0.9
    moved = model.transfer(x.astype("float32"), labels=2)
    assert np.mean(moved[:, :CLASSES].argmax(axis=1) == 2) > 0.9


def test_config_has_schedules_and_networks(tmp_path):
    model = compiled(pseudo_share=LinearRise(0.8, 1, 2), label_weight=0.5,
                     augmentation=keras.layers.GaussianNoise(0.1), labelled_batch=3)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.pseudo_share.get_config() == model.pseudo_share.get_config()
    assert (again.label_weight, again.labelled_batch) == (0.5, 3)
    assert again.augmentation.stddev == 0.1
    np.testing.assert_array_equal(again.generate(4, seed=2), model.generate(4, seed=2))
    assert len({type(getattr(again, name)) for name in again.optimizer_names}) == 1


@pytest.mark.parametrize("arguments, words", [
    ({"pseudo_share": 1.5}, "share from 0 to 1.*pseudo_share=1.5"),
    ({"generated_share": -0.1}, "generated_share=-0.1"),
    ({"generated_weight": -1.0}, "generated_weight=-1.0"),
    ({"style_weight": -1.0}, "style_weight=-1.0"),
    ({"pretrain_steps": 2.5}, "pretrain_steps=2.5"),
    ({"average_decay": 1.0}, "average_decay=1.0"),
    ({"pseudo_share": 0.7, "generated_share": 0.6}, "add up to 1 at most")])
def test_impossible_arguments_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        StructuredGAN(*networks(), **arguments)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cifar10", "svhn_cropped"])
def test_published_size_trains_under_xla(name, tmp_path, monkeypatch):
    """Ten steps with few rows, five of them of the classifier alone."""
    small_copies.write(name, tmp_path, label=np.arange(60) % 10)
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path))
    config = runs.read_config("cifar10/structured_gan.py")
    config.data.update(name=name, validation=10, labels=20)
    config.method.update(pretrain_steps=5, labelled_batch=4)
    x, y = runs.load_data(config)["train"]
    assert x.shape == (50, 32, 32, 3) and (y >= 0).sum() == 20
    model = runs.load_model(config, x.shape[1:], jit_compile=True)
    logs = model.fit(x, y, batch_size=4, epochs=1, steps_per_epoch=10,
                     verbose=0).history
    assert all(np.isfinite(values).all() for values in logs.values())
    assert int(model.optimizer.iterations) == 10
    assert int(model.generator_optimizer.iterations) == 5
    assert model.generate(2, labels=3).shape == (2, 32, 32, 3)
