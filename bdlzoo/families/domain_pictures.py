"""Figures of a model that follows its data to another domain."""

import numpy as np
import tensorflow as tf

_ROWS = 400  # Rows of each domain in the plane: t-SNE takes seconds for them.


def domain_pictures(model, x, target=None, history=None):
    """Figures for `RunHooks.pictures`.

    Args:
        model: `AdaptingModel`.
        x: Arrays of held-out inputs of the source.
        target: `Split` of held-out rows of the target; `None` for none.
        history: Dictionary of lists of logs by name; `None` for none.
    """
    found = {}
    if history and "target_accuracy" in history:
        found["domain_curves"] = ("domain_curves", {"history": history})
    if target is None:
        return found
    rows = [x[:_ROWS], target.x[:_ROWS]]
    source, there = (model.features_of(part) for part in rows)
    found["feature_plane"] = ("feature_plane", {
        "source": source, "target": there, "target_classes": target.y[:_ROWS],
        # The run has no labels of the source here; they are right but for a few.
        "source_classes": np.argmax(model.predict(rows[0], verbose=0), axis=-1)})
    draws = tf.concat([model.sample_outputs(target.x[start:start + 1000])
                       for start in range(0, len(target.x), 1000)], axis=1)
    for name, prediction in (("before", model.likelihood.prediction(draws)),
                             ("after", model.prediction(draws))):
        found[f"target_reliability_{name}_calibration"] = ("reliability_diagram", {
            "probabilities": np.asarray(prediction.mean), "labels": target.y})
    return found
