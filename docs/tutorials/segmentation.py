# %% [markdown]
# # Maps of doubt for segmentation
#
# A network that labels every pixel can doubt every pixel. At the border of an object the
# label is a toss-up, however much one learns: doubt of the data. On an object that was not
# among the training images the label is unknown: doubt of the model. Scenes that are drawn
# by a program, whose true doubt is known, show whether a model tells these apart.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo
from bdlzoo.evaluation import pixel_maps, segmentation_scores

keras.utils.set_random_seed(0)
train = bdlzoo.data.draw_scenes(480, seed=0, size=(32, 32), blur=1.5)
test = bdlzoo.data.draw_scenes(60, seed=1, size=(32, 32), blur=1.5, strange=0.5)
print(train.x.shape, train.y.shape, "rings in the test:",
      int(test.unknown.any(axis=(1, 2)).sum()))

# %% [markdown]
# Shapes have any colour, and their form is their class. No training scene has a ring; half
# of the test scenes do. Pixels of rings have the label 255, which does not count.

# %%
network = bdlzoo.networks.UNet((32, 32, 3), outputs=4, filters=(8, 16, 32), dropout=0.25)
model = bdlzoo.methods.MCDropout(
    network, {"type": "categorical", "ignore_class": 255}, num_samples=20, seed=0)
model.compile(keras.optimizers.Adam(
    keras.optimizers.schedules.CosineDecay(5e-3, 30 * 30)))
history = model.fit(train.x, train.y, batch_size=16, epochs=30, verbose=0)
print("loss of the first and last epoch:",
      np.round(history.history["loss"], 3)[[0, -1]])

# %% [markdown]
# `pixel_maps` goes through the images batch by batch and keeps only the maps. Each pixel
# has a label, a confidence, and its doubt in two parts.

# %%
maps = pixel_maps(model, test.x, np.where(test.unknown, 255, test.y), seed=0)
scores = segmentation_scores(maps, np.where(test.unknown, 255, test.y), num_classes=4,
                             ignore_class=255, unknown=test.unknown)
for name in ("accuracy", "miou", "ece", "border_ratio", "auroc_aleatoric",
             "auroc_epistemic", "auroc_region_epistemic"):
    print(f"{name}: {scores[name]:.3f}")

# %% alt="Scenes with true and predicted classes and with maps of both kinds of doubt"
shown = np.flatnonzero(test.unknown.any(axis=(1, 2)))[:4]
figure = bdlzoo.reports.label_maps(
    test.x[shown], np.where(test.y == 255, np.nan, test.y)[shown].astype(float),
    maps.label[shown], maps.total[shown], num_classes=4,
    aleatoric=maps.aleatoric[shown], epistemic=maps.epistemic[shown])
figure

# %% [markdown]
# The doubt of the data should lie on the borders. The program that drew the scenes knows
# the law of each label, so that the entropy at each pixel can be compared with the truth.

# %%
known = ~test.unknown
for name, where in (("inside", known & ~test.border), ("border", known & test.border),
                    ("ring", test.unknown)):
    print(f"{name}: true doubt of the data {test.entropy[where].mean():.3f}, said "
          f"{maps.aleatoric[where].mean():.3f}; doubt of the model "
          f"{maps.epistemic[where].mean():.3f} nats")

# %% [markdown]
# Doubt can be used: if the pixels of highest doubt are handed to a person, the others are
# right more often.

# %%
right = (maps.label == test.y)[known]
doubt = maps.total[known]
for share in (1.0, 0.95, 0.9, 0.8):
    kept = doubt <= np.quantile(doubt, share)
    print(f"{share:.0%} of the pixels kept: {right[kept].mean():.4f} right")

# %% [markdown]
# **A limit.** What is called doubt of the data is the doubt that all draws share. A model
# that was trained for a minute shares its ignorance among its draws too: compare the true
# doubt with what it said inside of shapes and on rings. How well a kind of doubt finds the
# pixels of rings is said by `auroc_aleatoric` and `auroc_epistemic`; 1 would be perfect.
