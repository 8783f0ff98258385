"""Features of two domains in the plane, by PCA and by t-SNE.

Colours are classes. Rows of the source are dots, those of the target are crosses: where
domains are aligned, crosses lie on the dots of their class.
"""

import numpy as np

from bdlzoo.reports import canvas


def feature_plane(source, target, source_classes, target_classes, seed=0):
    """Plots features of both domains in one plane.

    Args:
        source: Array `[N, F]`, features of the source.
        target: Array `[M, F]`, features of the target.
        source_classes: Integer classes `[N]`.
        target_classes: Integer classes `[M]`.
        seed: Integer, of t-SNE.

    Returns:
        `matplotlib.figure.Figure`.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE
    rows = np.concatenate([source, target]).astype("float64")
    classes = np.concatenate([source_classes, target_classes])
    known = np.arange(len(rows)) < len(source)
    figure = canvas.figure(11, 5)
    maps = (("PCA", PCA(2)), ("t-SNE", TSNE(
        2, init="pca", random_state=seed, perplexity=min(30.0, (len(rows) - 1) / 3))))
    for axes, (name, fitted) in zip(figure.subplots(1, 2), maps):
        points = fitted.fit_transform(rows)
        for shown, marker, domain in ((known, ".", "source"), (~known, "x", "target")):
            axes.scatter(*points[shown].T, c=classes[shown], cmap="tab10",
                         marker=marker, vmin=0, vmax=max(9, classes.max()), s=18,
                         alpha=0.6, linewidths=0.8, label=domain)
        canvas.label(axes, f"Features of both domains, {name}")
        axes.set(xticks=[], yticks=[])
        canvas.legend(axes, loc="best")
    return figure
