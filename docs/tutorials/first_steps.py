# %% [markdown]
# # First steps
#
# A classifier that says how sure it is, in eight statements, and what its doubt is good
# for. A plain network gives one vector of probabilities. It gives one for a smudge too,
# and nothing in it says that the network has never seen such a thing. A Bayesian network
# is many networks that all explain the training data. Where they agree, the data have
# settled the answer; where they do not, the data have not.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo
from bdlzoo.reports import image_grid, risk_coverage

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")  # Images of 8 x 8 pixels, from scikit-learn.
x_test, y_test = bdlzoo.data.load("digits", "test")
print(x.shape, x_test.shape)

# %% [markdown]
# The cheapest way to many networks is dropout. In training it switches random units off.
# If it stays on at prediction, each pass is another network, drawn from an approximate
# posterior. The network is yours, or one of the zoo; the likelihood brings the loss.

# %%
network = bdlzoo.networks.SmallCNN(x.shape[1:], outputs=10, dropout=0.4)
model = bdlzoo.methods.MCDropout(network, likelihood="categorical", seed=0)
model.compile(optimizer="adam")
history = model.fit(x, y, epochs=8, verbose=0)
print("loss of the epochs:", np.round(history.history["loss"], 3))

# %% [markdown]
# `evaluate` scores the average of the draws. `nll` is the negative log-likelihood, in
# nats; `ece` says how far confidence and accuracy are apart.

# %%
scores = model.evaluate(x_test, y_test, return_dict=True, verbose=0)
print({name: round(value, 4) for name, value in scores.items()})

# %% [markdown]
# One call gives all that is known about each answer. The entropy of the mean is the
# total doubt. It is the sum of two parts: the mean entropy of the draws, which is doubt
# that all draws share, and the mutual information, by which the draws disagree.

# %%
prediction = model.predict_uncertainty(x_test, num_samples=64, seed=0)
total = prediction.predictive_entropy
parts = prediction.expected_entropy + prediction.mutual_information
print("largest difference of total and parts:", float(np.max(np.abs(total - parts))))
print("mean doubt where right:", float(np.mean(total[prediction.label == y_test])))
print("mean doubt where wrong:", float(np.mean(total[prediction.label != y_test])))

# %% [markdown]
# The digits with the most doubt, and those with the least. Look at the first row: would
# you be sure?

# %% alt="Two rows of digits: those the model doubts most, and those it doubts least"
order = np.argsort(-total)
rows = np.stack([order[:8], order[-8:]])
labels = [f"{y_test[i]}, said {prediction.label[i]}" for i in order[:8]]
figure = image_grid(x_test[rows], rows=["most doubt", "least doubt"])
figure

# %%
print("true class, and what the model said, of the first row:", "; ".join(labels))

# %% [markdown]
# Doubt is useful if it finds the errors. Below, the model answers only the share of the
# images on the horizontal axis, those of which it is most sure. The curve should fall to
# the left.

# %% alt="Error rate against the share of images answered, falling to zero to the left"
wrong = prediction.label != y_test
figure = risk_coverage({"MC dropout": (wrong, -total)})
figure

# %%
half = order[len(order) // 2:]
print(f"errors: {wrong.sum()} of {len(wrong)}; among the surer half: "
      f"{wrong[half].sum()} of {len(half)}")

# %% [markdown]
# The same seed gives the same draws, and so the same answer, to the last bit.

# %%
again = model.predict_uncertainty(x_test, num_samples=64, seed=0)
print("same seed, same answer:", bool(np.all(again.mean == prediction.mean)))
other = model.predict_uncertainty(x_test, num_samples=64, seed=1)
print("largest change with another seed:",
      float(np.max(np.abs(other.mean - prediction.mean))))

# %% [markdown]
# **A limit.** The average of 64 draws still has noise, as the last line shows; more draws
# shrink it, at a cost. And no doubt is perfect: dropout knows only the networks that it
# can make of one network by switching units off.
# [Ensembles](ensembles_and_gaussian_processes.md) and
# [samples of the posterior](posterior_samples.md) know others.
