"""Places of draws that come in parts."""

import tensorflow as tf


def places(first, count, num_samples):
    """Places `[count]` from `first` on; the last draw stands for those after it.

    Args:
        first: Integer or scalar tensor, place of the first draw of the part.
        count: Integer or scalar tensor, draws of the part.
        num_samples: Integer or scalar tensor, number of all draws.
    """
    return tf.minimum(first + tf.range(count), num_samples - 1)
