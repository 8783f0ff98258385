"""Small convolutional network of the certified defences, cheap to attack.

    conv 16 4x4 stride 2, conv 32 4x4 stride 2, dense 100, dense out

166,406 weights on 28x28x1 with ten outputs. Strides take the place of pooling, and
the convolutions are padded.

Reference: Wong and Kolter, Provable Defenses against Adversarial Examples via the
Convex Outer Adversarial Polytope, ICML 2018.
"""

from bdlzoo.core import registry
from bdlzoo.networks.blocks import Stage, convolutional


@registry.register
def WongKolterCNN(input_shape, **options):
    """Builds the network of Wong and Kolter.

    Args:
        input_shape: Tuple of integers, `(height, width, channels)`.
        **options: See `bdlzoo.networks.blocks.convolutional`.
    """
    stages = [Stage(filters, 4, "same", pooled=False, strides=2)
              for filters in (16, 32)]
    return convolutional("wong_kolter_cnn", input_shape, 1, stages, (100,), **options)
