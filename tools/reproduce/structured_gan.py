"""Few labels on MNIST: a structured GAN, for its classes and for what it makes.

    C    conv 32 5x5, (64, 64), (128, 128) 3x3, mean over places
    G    [z, y] - 500 - 500 - 784             I    conv 16, 32 4x4, dense 256
    Dxy  784 - 500 - 250 - 250 - 1, y at every layer
    Dxz  784 and z - 256 - 256 - 1

The lines differ in what trains the generator and the classifier: all networks, steps
and labelled rows are the same. `error` is that of the averaged classifier on test
images. The other scores are of what the generator makes, by a LeNet that was trained on
all labels: `controllability`, how often it sees the class that was asked for;
`transfer`, the same for test images in another class; `correlation` of the style that
is read off an image with the one it was made of; `leak`, how well the style of test
images tells their class; `diversity` within a class, beside that of test images; and
the Frechet distance of the features of that LeNet.

Reference: Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017.
"""

import functools

import keras
import numpy as np

from bdlzoo import data
from bdlzoo.evaluation.generation import generation_scores
from bdlzoo.methods import Deterministic, StructuredGAN
from bdlzoo.networks import (
    GanClassifier,
    GanCodeDiscriminator,
    GanDiscriminator,
    GanGenerator,
    GanInference,
    LeNet,
)
from bdlzoo.schedules import LinearRise


def trained(seed=0, method="structured", name="mnist", labels=100, num_steps=8000,
            pretrain_steps=1000, batch_size=100, labelled_batch=50, latent=30,
            stages=((16,), (32, 32), (64,)), dropout=0.3, hidden=(500, 500),
            pair_hidden=(500, 250, 250), style_hidden=(256, 256), filters=(16, 32),
            shift=0.08, learning_rate=1e-3, game_rate=5e-4, pseudo_share=0.8,
            generated_weight=0.1, entropy_weight=0.3, style_weight=1.0,
            label_weight=1.0, input_noise=0.3, noise=0.3, num_train=None, split=None,
            verbose=0):
    x, y = (part[:num_train] for part in data.load(name, "train"))
    few = data.keep_labels(y, labels, seed)
    known = few >= 0
    keras.utils.set_random_seed(seed)
    shape = x.shape[1:]
    model = StructuredGAN(
        GanClassifier(shape, stages, 10, dropout=dropout),
        GanGenerator(latent, 10, shape, hidden),
        GanInference(shape, latent, filters, (256,)),
        GanDiscriminator(shape, 10, pair_hidden, input_noise=input_noise, noise=noise),
        GanCodeDiscriminator(shape, latent, (), style_hidden, (128,), input_noise),
        pseudo_share=LinearRise(pseudo_share, pretrain_steps, num_steps // 3),
        generated_weight=LinearRise(generated_weight, num_steps // 3, num_steps // 3),
        entropy_weight=entropy_weight, style_weight=style_weight,
        label_weight=label_weight, pretrain_steps=pretrain_steps,
        labelled_batch=min(labelled_batch, labels), seed=seed,
        augmentation=[dict(type="RandomTranslation", height_factor=shift,
                           width_factor=shift, fill_mode="constant",
                           interpolation="nearest")])
    rate = keras.optimizers.schedules.CosineDecay(learning_rate, num_steps, 0.1)
    def game():
        return keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(
            game_rate, num_steps, 0.1), beta_1=0.5)
    model.compile(keras.optimizers.Adam(rate, beta_1=0.5), game(), game(), game(), game())
    epochs = max(1, num_steps // 500)
    model.fit(x[known], few[known], unlabelled=x[~known], batch_size=batch_size,
              epochs=epochs, steps_per_epoch=num_steps // epochs, verbose=verbose)
    return model


@functools.cache
def judge(name="mnist", epochs=4, num_train=None):
    x, y = (part[:num_train] for part in data.load(name, "train"))
    keras.utils.set_random_seed(0)
    model = Deterministic(LeNet(x.shape[1:], outputs=10), seed=0)
    model.compile(keras.optimizers.Adam(1e-3))
    model.fit(x, y, batch_size=128, epochs=epochs, verbose=0)
    return model
