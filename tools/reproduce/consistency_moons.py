"""Two moons with six labels: what agreement makes of the rows without labels.

    MLP of two hidden layers of 64 units, noise on the inputs, Adam

The supervised network cuts the plane between six points. With agreement the boundary
leaves the rows without labels aside, since it costs where predictions change under
noise.
"""

import keras
import numpy as np

from bdlzoo import data, methods, networks


def maps(num_steps=1200, seed=0, num_labels=6, size=80, noise=0.1,
         consistency_weight=20.0):
    """Probability of class 1 over the plane, by method.

    Args:
        num_steps: Integer, steps of each training.
        seed: Integer, of the labels and all noise.
        num_labels: Integer.
        size: Integer, points of the grid along an axis.
        noise: Float, standard deviation of the noise on the inputs.
        consistency_weight: Float, of the two methods.

    Returns:
        Arguments of `bdlzoo.reports.class_maps`.
    """
    x, y = data.load("moons", "train", seed=seed)
    labels = data.keep_labels(y, num_labels, seed)
    known = labels >= 0
    ticks = [np.linspace(low - 0.4, high + 0.4, size)
             for low, high in zip(x.min(axis=0), x.max(axis=0))]
    grid = np.stack(np.meshgrid(*ticks), axis=-1).astype("float32")
    panels = {}
    for title, kind, weight in (("supervised", "PiModel", 0.0),
                                ("Pi-model", "PiModel", consistency_weight),
                                ("mean teacher", "MeanTeacher", consistency_weight)):
        keras.utils.set_random_seed(seed)
        model = getattr(methods, kind)(
            networks.MLP((2,), hidden=(64, 64), outputs=2), seed=seed, num_samples=1,
            consistency_weight=weight, ramp_steps=num_steps // 3, input_noise=noise)
        model.compile(keras.optimizers.Adam(5e-3))
        model.fit(x[known], labels[known], unlabelled=x[~known], batch_size=64,
                  steps_per_epoch=num_steps, verbose=0)
        probability = model.predict(grid.reshape(-1, 2), batch_size=1024, verbose=0)
        panels[title] = probability[:, 1].reshape(size, size)
    return dict(ticks=ticks, panels=panels, x=x[~known], labelled=x[known],
                classes=labels[known])
