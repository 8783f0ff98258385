"""What a model of classes and styles does once it is trained."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.core import noise
from bdlzoo.layers import DenseFlipout
from bdlzoo.methods import StructuredGAN
from bdlzoo.networks import (
    GanClassifier,
    GanCodeDiscriminator,
    GanDiscriminator,
    GanGenerator,
    GanInference,
)
from tests.families.pair_cases import CLASSES, LATENT, X, compiled, dense, networks


def test_rows_alone_are_the_rows_of_a_batch():
    model = compiled()
    labels = [2, 0, 1, 1, 0, 2]
    made, moved, styles = (model.generate(6, labels, seed=4), model.transfer(X, labels),
                           model.style(X))
    np.testing.assert_allclose(model.generate(2, labels[:2], seed=4), made[:2],
                               atol=1e-6)
    np.testing.assert_allclose(model.transfer(X[3:4], 1), moved[3:4], atol=1e-6)
    np.testing.assert_allclose(model.style(X[5:]), styles[5:], atol=1e-6)


def test_generator_gets_the_drawn_styles():
    model = compiled()
    styles, labels = model.drawn_styles(5, seed=4), [0, 2, 1, 1, 0]
    assert styles.shape == (5, LATENT) and 0 < styles.min() and styles.max() < 1
    np.testing.assert_allclose(model.generate(5, labels, seed=4),
                               model.generate_styles(styles, labels), atol=1e-6)
    np.testing.assert_allclose(
        model.generator([tf.constant(styles), tf.one_hot(labels, CLASSES)]),
        model.generate(5, labels, seed=4), atol=1e-6)


def test_transfer_is_the_generator_of_the_style():
    model = compiled()
    np.testing.assert_allclose(
        model.transfer(X, 1), model.generate_styles(model.style(X), 1), atol=1e-6)
    np.testing.assert_allclose(model.style(X), model.inference(X), atol=1e-6)


def test_average_predicts():
    model = compiled()
    model.average.layers[-1].bias.assign([1.0, 2.0, 3.0])
    expected = tf.nn.softmax(model.average(X))
    np.testing.assert_allclose(model.predict(X, verbose=0), expected, atol=1e-6)
    np.testing.assert_allclose(model.sample_outputs(X, 2)[1], model.average(X),
                               atol=1e-6)
    assert not np.allclose(model.network(X), model.average(X))


def test_signatures_answer_as_the_model():
    model, labels = compiled(), tf.constant([2, 0, 1, 1, 0, 2])
    found = {name: function for name, (function, _) in model.endpoints().items()}
    assert set(found) == {"serving_default", "predict", "samples", "style", "transfer",
                          "generate", "generate_labelled"}
    seed = tf.constant([[4, 0]])
    for answer, expected in (
            (found["style"](tf.constant(X))["style"], model.style(X)),
            (found["transfer"](tf.constant(X), labels)["reconstruction"],
             model.transfer(X, labels.numpy())),
            (found["generate"](tf.constant([3]), seed)["samples"],
             model.generate(3, seed=4)),
            (found["generate_labelled"](labels, seed)["samples"],
             model.generate(6, labels.numpy(), seed=4))):
        np.testing.assert_allclose(answer, expected, atol=1e-6)


def test_images_have_pictures():
    shape = (4, 4, 1)
    model = StructuredGAN(
        GanClassifier(shape, ((2,),), 3), GanGenerator(2, 3, shape, (4,)),
        GanInference(shape, 2, (), (4,)), GanDiscriminator(shape, 3, (4,)),
        GanCodeDiscriminator(shape, 2, (), (4,), (4,)), seed=0)
    model.build((None, *shape))
    x = np.random.default_rng(0).uniform(size=(7, *shape)).astype("float32")
    pictures = model.pictures(x)
    shapes = {name: arguments["images"].shape
              for name, (_, arguments) in pictures.items()}
    assert shapes == {"samples": (3, 10, *shape), "transfer": (7, 4, *shape),
                      "walk": (3, 10, *shape)}
    images = pictures["samples"][1]["images"]
    np.testing.assert_allclose(images[2], model.generate(10, 2), atol=1e-6)
    walk = pictures["walk"][1]["images"]
    np.testing.assert_allclose(walk[1][[0, 9]], model.generate_styles(
        model.drawn_styles(2), 1), atol=1e-6)
    assert compiled().pictures(X) == {}


@pytest.mark.parametrize("place, part, words", [
    (1, dense(LATENT, 4), r"inputs \[z, y\]"),
    (1, networks()[4], r"inputs \[z, y\]"),
    (1, GanGenerator(LATENT, CLASSES, (5,), (4,)), r"shape \(4,\).*Received.*\(5,\)"),
    (2, keras.Sequential([keras.Input((4,)), keras.layers.Reshape((2, 2))]),
     r"outputs \[B, D\]"),
    (3, networks()[4], "discriminator_xy with two inputs"),
    (3, networks()[1], "discriminator_xy with two inputs"),
    (4, GanGenerator(4, LATENT, (2,), (4,)), "discriminator_xz with one output"),
    (0, keras.Sequential([keras.Input((4,)), DenseFlipout(3)]), "variational layers")])
def test_networks_that_do_not_fit_are_refused(place, part, words):
    parts = networks()
    parts[place] = part
    with pytest.raises(ValueError, match=words):
        StructuredGAN(*parts).build((None, 4))


def test_generator_of_another_image_size_is_refused():
    parts = [GanClassifier((8, 8, 1), ((2,),), 3), GanGenerator(2, 3, (6, 6, 1), (4,)),
             GanInference((8, 8, 1), 2, (), (4,)), GanDiscriminator((8, 8, 1), 3, (4,)),
             GanCodeDiscriminator((8, 8, 1), 2, (), (4,), (4,))]
    with pytest.raises(ValueError, match=r"shape \(8, 8, 1\), that of the data. "
                                         r"Received: a generator of shape \(6, 6, 1\)"):
        StructuredGAN(*parts).build((None, 8, 8, 1))


@pytest.mark.parametrize("likelihood", [
    {"type": "Categorical", "from_logits": False}, "gaussian"])
def test_other_likelihoods_are_refused(likelihood):
    with pytest.raises(ValueError, match="likelihood of classes that a network gives"):
        StructuredGAN(*networks(), likelihood).build((None, 4))


def test_calls_that_ask_for_too_much_are_refused():
    model = compiled()
    with pytest.raises(ValueError, match="styles \\[B, 2\\]"):
        model.generate_styles(np.zeros((3, 5)), 1)
    with pytest.raises(ValueError, match="an integer from 0 to 2"):
        model.transfer(X, 3)
    with pytest.raises(ValueError, match="num_samples=0"):
        model.drawn_styles(0)
    assert model.unit(noise.key(1)).shape == (LATENT,)
