"""Parts of games of pairs, their optimisers and their data."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.families import pair_game
from bdlzoo.methods import StructuredGAN
from tests.families.pair_cases import CLASSES, LATENT, MORE, X, Y, compiled, networks


def test_losses_of_scores_are_cross_entropies():
    scores = np.array([[0.5], [-1.0], [2.0]], "float32")
    probs = 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(pair_game.as_real(scores), -np.mean(np.log(probs)),
                               rtol=1e-6)
    np.testing.assert_allclose(pair_game.as_false(scores), -np.mean(np.log(1 - probs)),
                               rtol=1e-5)


def test_entropy_is_that_of_rows_and_balance_that_of_their_mean():
    probs = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    entropy, imbalance = pair_game.entropies(tf.constant(
        np.log(probs) + 2.0, tf.float32))
    np.testing.assert_allclose(entropy, -np.mean(np.sum(probs * np.log(probs), axis=1)),
                               rtol=1e-5)
    np.testing.assert_allclose(imbalance, -np.mean(np.log(probs.mean(axis=0))),
                               rtol=1e-5)
    _, even = pair_game.entropies(20.0 * tf.eye(3))
    np.testing.assert_allclose(even, np.log(3.0), rtol=1e-6)


def test_style_loss_is_half_the_squared_length():
    model = compiled()
    gaps = np.random.default_rng(1).normal(size=(50, LATENT))
    np.testing.assert_allclose(model.style_loss(np.mean(gaps**2)),
                               np.mean(np.sum(gaps**2, axis=1)) / 2)


def test_optimisers_are_like_the_first_or_as_given():
    model = StructuredGAN(*networks(), seed=0)
    model.compile()
    for name in model.optimizer_names:
        optimizer = getattr(model, name)
        assert isinstance(optimizer, keras.optimizers.Adam)
        assert optimizer.beta_1 == 0.5
        np.testing.assert_allclose(optimizer.learning_rate, 3e-4, rtol=1e-6)
    model.compile("adam", generator_optimizer=keras.optimizers.SGD(0.5))
    assert isinstance(model.generator_optimizer, keras.optimizers.SGD)
    assert isinstance(model.inference_optimizer, keras.optimizers.Adam)
    model.build((None, 4))
    groups = model.variable_groups()
    assert sum(map(len, groups)) == len(model.trainable_variables)
    for name, group in zip(model.optimizer_names, groups, strict=True):
        assert getattr(model, name).built and group
    one = keras.optimizers.SGD(0.1)
    with pytest.raises(ValueError, match="five networks.*same one twice"):
        model.compile(one, generator_optimizer=one)


def test_all_rows_with_a_label_are_refused():
    with pytest.raises(ValueError, match="without labels.*`Deterministic`.*labelled"):
        compiled().fit(X, Y, verbose=0)


def test_class_without_a_label_is_refused():
    few = np.where(Y == 1, 0, Y)
    with pytest.raises(ValueError, match=r"each class.*no label of classes \[1\]"):
        compiled().fit(X, few, unlabelled=MORE, verbose=0)
    with pytest.raises(ValueError, match=r"no label of classes \[0, 2\]"):
        compiled().fit(X, np.where(Y == 1, 1, -1), verbose=0)
    soft = np.eye(CLASSES, dtype="float32")[few]
    with pytest.raises(ValueError, match=r"no label of classes \[1\]"):
        compiled().fit(X, soft, unlabelled=MORE, verbose=0)


def test_one_hot_labels_train_as_classes():
    ends = []
    for labels in (Y, np.eye(CLASSES, dtype="float32")[Y]):
        model = compiled()
        model.fit(X, labels, unlabelled=MORE, batch_size=3, verbose=0, shuffle=False)
        ends.append([np.array(w) for w in model.weights])
    for first, second in zip(*ends, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-6)


def test_batches_have_labelled_rows_and_others():
    assert compiled().rows_of_batch(None, 8) == 8
    model = compiled(labelled_batch=2)
    assert model.rows_of_batch(None, 8) == 2
    assert model.rows_of_batch("unlabelled", 8) == 8
