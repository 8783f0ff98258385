"""Convolutional classifier of GANs that learn from few labels.

    conv, BatchNorm, activation     for each filter of a stage
    pool 2, dropout                 between stages
    mean over places, dense out     at the end

The first convolution has a kernel of `first_kernel`, the others of 3 x 3, or of 1 x 1
in the last stage behind its first. `stages=((32,), (64, 64), (128, 128))` with relu and
a first kernel of 5 is that of MNIST, `((128,) * 3, (256,) * 3, (512, 256, 128))` that
of images of 32 x 32.

References: Li et al., Triple Generative Adversarial Nets, NeurIPS 2017, and its
released code; Deng et al., Structured Generative Adversarial Networks, NeurIPS 2017.
"""

import keras

from bdlzoo.core import registry
from bdlzoo.networks import blocks


@registry.register
def GanClassifier(input_shape, stages=((32,), (64, 64), (128, 128)), outputs=10,
                  activation="relu", dropout=0.5, first_kernel=5, pointwise=False,
                  normalize=True):
    """Builds the classifier.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        stages: Tuple of tuples of integers, filters of the convolutions of each stage.
        outputs: Integer, number of raw outputs.
        activation: Name or callable, after every convolution.
        dropout: Rate in [0, 1), or spec of a dropout layer, after every pooling.
        first_kernel: Integer, side of the kernel of the first convolution.
        pointwise: Bool, whether convolutions of the last stage but its first one have
            a kernel of 1 x 1.
        normalize: Bool, whether convolutions have a BatchNorm.

    Returns:
        A functional `keras.Model`.

    Example:

    ```python
    network = GanClassifier((28, 28, 1))
    ```
    """
    if not isinstance(stages, (tuple, list)) or not stages:
        raise ValueError("Expected a tuple of the filters of each stage. Received: "
                         f"stages={stages!r}")
    stages = [blocks.check_sizes("stages", stage) for stage in stages]
    input_shape = blocks.check_image(input_shape, 2**(len(stages) - 1))
    [outputs] = blocks.check_sizes("outputs", (outputs,))
    x = inputs = keras.Input(input_shape)
    for place, stage in enumerate(stages):
        if place:
            x = blocks.drop(keras.layers.MaxPooling2D(2)(x), dropout)
        last = place == len(stages) - 1
        for turn, count in enumerate(stage):
            size = 1 if last and pointwise and turn else 3
            first = not place and not turn
            x = keras.layers.Conv2D(
                count, first_kernel if first else size, padding="same",
                use_bias=not normalize, kernel_initializer="he_normal")(x)
            if normalize:
                x = keras.layers.BatchNormalization(momentum=0.9)(x)
            x = keras.layers.Activation(activation)(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(outputs)(x), name="gan_classifier")
