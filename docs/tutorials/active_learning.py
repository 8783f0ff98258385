# %% [markdown]
# # Active learning
#
# Images are free and labels are not, so that one asks which images to label next. Those that
# the model can learn from: not the ones that it knows, and not the ones that nobody could
# label. The draws of a Bayesian model tell these apart. This tutorial starts with two
# labels of each class, buys labels ten by ten, and compares with buying at random.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo
from bdlzoo.evaluation import ActiveLearning, balanced_rows

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")
test = bdlzoo.data.load("digits", "test")

# %% [markdown]
# The loop gets the images, and a function from rows to their labels: your experts. It calls
# the function only for rows that it has chosen; here it counts how many.

# %%
asked = set()


def label(rows):
    """The labels of rows, from those who are paid for them."""
    asked.update(np.asarray(rows).tolist())
    return y[rows]


# %% [markdown]
# `"bald"` is the mutual information of a label and the weights. It is high where each draw
# is sure, but the draws disagree. Every round trains from the same initial weights, since
# a network that goes on from its old weights favours its old labels.

# %%
curves = {}
for name in ("random", "bald"):
    for seed in (0, 1):
        network = bdlzoo.networks.MLP(x.shape[1:], hidden=(128,), outputs=10,
                                      dropout=0.5)
        model = bdlzoo.methods.MCDropout(network, num_samples=32, seed=seed)
        model.compile(keras.optimizers.Adam(3e-3))
        loop = ActiveLearning(model, x, label, test, balanced_rows(y, 2, seed=seed),
                              num_steps=200, num_candidates=None, seed=seed)
        curves[name, seed] = loop.run(name, num_rounds=8, count=10)
    ends = [curves[name, seed].accuracy for seed in (0, 1)]
    print(f"{name}: with 20 labels {ends[0][0]:.3f} and {ends[1][0]:.3f}, "
          f"with 100 labels {ends[0][-1]:.3f} and {ends[1][-1]:.3f}")

# %% alt="Test accuracy against the number of labels, chosen by BALD and at random"
figure = bdlzoo.reports.label_curves(
    curves["bald", 0].labels,
    {name: [curves[name, seed].accuracy for seed in (0, 1)]
     for name in ("random", "bald")})
figure

# %%
for goal in (0.85, 0.9):
    print(f"labels to {goal:.0%}:", {
        f"{name}, seed {seed}": curve.labels_to(goal)
        for (name, seed), curve in curves.items()})
print(f"{len(asked)} of {len(x)} rows were ever asked about")

# %% [markdown]
# Look at the ends of the curves, and not only at the goals: with few labels the doubt of
# the model is itself poor, so that a gain comes late.
#
# What did it buy? The images below are the first ten choices of both. Count the classes,
# and look for images that are much alike.

# %% alt="The first ten images that BALD chose, and ten at random"
chosen = {name: curves[name, 0].rows[1] for name in ("random", "bald")}
figure = bdlzoo.reports.image_grid(
    np.stack([x[rows] for rows in chosen.values()]), rows=list(chosen))
figure

# %%
for name, rows in chosen.items():
    print(f"{name}: classes {sorted(y[rows].tolist())}")

# %% [markdown]
# **A limit.** The ten best images by themselves may be ten times nearly the same image.
# `"power_bald"` and `"batch_bald"` choose batches that differ. Two seeds are also few: the
# band in the picture is only the range of two runs.
# [Three seeds on MNIST](../results/active_learning.md) have more.
