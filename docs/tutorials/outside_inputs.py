# %% [markdown]
# # Inputs from outside
#
# A classifier of digits is asked about something that is no digit. It has to name a class;
# the question is whether its doubt gives it away. Here three trained models of the package
# are compared, so that nothing is trained: one network, MC dropout, and an ensemble.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import bdlzoo
from bdlzoo.evaluation.detection import detection, out_of_distribution
from bdlzoo.evaluation.outside_sets import outside_sets

models = {name: bdlzoo.from_preset(f"digits/{name}")
          for name in ("deterministic", "mc_dropout", "deep_ensemble")}
x, y = bdlzoo.data.load("digits", "test")
for name, model in models.items():
    print(name, "accuracy", np.mean(model.predict_uncertainty(x, seed=0).label == y))

# %% [markdown]
# Three kinds of outside inputs, from far to near: uniform noise, digits whose pixels are
# mixed, and digits that lie on their side. The last ones are drawn by the same hands, and
# some of them look like other digits.

# %% alt="Rows of digits, uniform noise, permuted digits and digits on their side"
outside = outside_sets(["uniform", "permuted"], x, seed=0)
upright_too = np.isin(y, (0, 1, 8))  # These may look the same on their side.
outside["on its side"] = np.rot90(x[~upright_too], axes=(1, 2)).copy()
figure = bdlzoo.reports.image_grid(
    np.stack([images[:8] for images in (x, *outside.values())]),
    rows=["digits", *outside])
figure

# %% [markdown]
# A score should be higher for outside rows. Its AUROC is the probability that an outside
# row scores higher than a known one: 0.5 is worthless, 1 is perfect. One network has only
# its entropy. Where there are draws, their disagreement is another score.

# %%
table = {}
for name, model in models.items():
    _, _, found = out_of_distribution(model, x, outside, num_samples=64, seed=0)
    for set_name, scores in found.items():
        for score in ("entropy", "mutual_information"):
            if score == "entropy" or name != "deterministic":
                table[name, score, set_name] = scores[score]["auroc"]
print("AUROC of:", ", ".join(outside))
for name, score in dict.fromkeys(key[:2] for key in table):
    values = [f"{table[name, score, s]:.3f}" for s in outside]
    print(f"{name:14} {score:20}", *values)

# %% [markdown]
# Read the columns, not the names. Whether the mutual information or the entropy is the
# better score depends on the set, and the difference between one network and many is
# largest where the inputs are near.

# %% alt="Mutual information of the ensemble: histograms of digits and of outside sets"
ensemble = models["deep_ensemble"]
doubt = {"digits": ensemble.predict_uncertainty(x, seed=0).mutual_information}
for set_name, images in outside.items():
    doubt[set_name] = ensemble.predict_uncertainty(images, seed=0).mutual_information
figure = bdlzoo.reports.uncertainty_histogram(doubt, "Mutual information, nats")
figure

# %% [markdown]
# In use there is a threshold. Below, it is set on known rows only: 5 % of the digits may
# be refused. What share of the outside rows does it refuse?

# %%
limit = np.quantile(doubt["digits"], 0.95)
for set_name in outside:
    print(f"{set_name}: {np.mean(doubt[set_name] > limit):.3f} refused; AUROC "
          f"{detection(doubt['digits'], doubt[set_name])['auroc']:.3f}")

# %% [markdown]
# **A limit.** A high AUROC on noise says little about inputs that you did not think of.
# Those that the ensemble is most sure of, among the digits on their side, are below: the
# model is not in doubt, because nobody told it that digits stand upright.

# %% alt="Digits on their side of which the ensemble is most sure"
images = outside["on its side"]
surest = np.argsort(doubt["on its side"])[:8]
said = ensemble.predict_uncertainty(images[surest], seed=0)
figure = bdlzoo.reports.image_grid(
    images[None, surest], columns=[f"says {label}" for label in said.label])
figure
