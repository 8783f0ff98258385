# %% [markdown]
# # Samples of the posterior
#
# Bayes' rule says which weights are plausible after the data. For networks it has no
# formula, but one can walk through the plausible weights: take gradient steps, and add
# noise of just the right size. That is SGLD. How do you know that the walk is right? By a
# model for which the formula exists. We start with one.

# %%
# %matplotlib inline
import keras
import matplotlib.pyplot as plt
import numpy as np

import bdlzoo
from bdlzoo.evaluation.chain_diagnostics import diagnose

keras.utils.set_random_seed(0)
draw = np.random.default_rng(0)

# %% [markdown]
# A line with two weights, slope and offset, a Gaussian prior of scale 1, and noise of 0.5.
# Its posterior is a Gaussian, whose mean and covariance are two lines of NumPy.

# %%
x = draw.uniform(-1, 1, (40, 1)).astype("float32")
y = (0.8 * x - 0.3 + draw.normal(0, 0.5, x.shape)).astype("float32")
design = np.hstack([x, np.ones_like(x)])
covariance = np.linalg.inv(design.T @ design / 0.5**2 + np.eye(2))
mean = covariance @ design.T @ y / 0.5**2
print("exact mean", mean.ravel().round(3), "std", np.sqrt(np.diag(covariance)).round(3))

# %% [markdown]
# Now the walk. The learning rate is that of SGD on the mean loss. The chains start
# somewhere, so that the first steps, the burn-in, are thrown away; neighbours are alike,
# so that only one step in twenty is kept.

# %%
line = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
chains = bdlzoo.methods.SGLD(
    line, {"type": "gaussian", "noise_scale": 0.5}, num_chains=4, burn_in=500,
    thinning=20, num_kept=500, prior_scale=1.0, seed=0)
chains.compile(keras.optimizers.SGD(0.01))
steps = 500 + 20 * 500
chains.fit(np.tile(x, (steps, 1)), np.tile(y, (steps, 1)), batch_size=len(x),
           num_data=len(x), shuffle=False, verbose=0)
samples = np.asarray(chains.kept_samples()).reshape(-1, 2)
print("walk: mean", samples.mean(axis=0).round(3), "std", samples.std(axis=0).round(3))

# %% alt="Samples of two weights and the exact ellipses of the posterior around them"
angle = np.linspace(0, 2 * np.pi, 100)
circle = np.linalg.cholesky(covariance) @ [np.cos(angle), np.sin(angle)]
figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
axes.plot(*samples.T, ".", markersize=2, alpha=0.5, label="samples")
for size in (1, 2, 3):
    axes.plot(*(mean + size * circle), color="black", linewidth=1,
              label="exact: 1, 2 and 3 std" if size == 1 else None)
axes.set(xlabel="slope", ylabel="offset")
axes.legend(frameon=False)
figure

# %% [markdown]
# Inside of the ellipses there should be 39, 86 and 99 % of the samples.

# %%
centred = samples - mean.ravel()
distance = np.einsum("ni,ij,nj->n", centred, np.linalg.inv(covariance), centred)
print("share inside:", [float(np.mean(distance < size**2).round(3))
                        for size in (1, 2, 3)])

# %% [markdown]
# For a network there is no ellipse to compare with, but there are symptoms. Chains that
# started apart should have come together (`r_hat` near 1), and the number of kept samples
# that are worth an independent one (`effective_size`) should not be tiny.

# %%
x_moons, y_moons = bdlzoo.data.load("moons", noise=0.2)
x_moons, y_moons = x_moons[:200], y_moons[:200]
network = bdlzoo.networks.MLP((2,), hidden=(20,), outputs=2, activation="tanh")
model = bdlzoo.methods.SGLD(network, num_chains=4, burn_in=2000, thinning=40,
                            num_kept=100, prior_scale=1.0, seed=0)
model.compile(keras.optimizers.SGD(0.2))
steps = 2000 + 40 * 100
model.fit(np.tile(x_moons, (steps, 1)), np.tile(y_moons, steps), batch_size=200,
          num_data=200, shuffle=False, verbose=0)
found = diagnose(model, x_moons)
print({name: round(found[name], 2) for name in (
    "r_hat_mean", "r_hat_worst", "effective_size_mean", "effective_size_worst")},
    "of", 4 * 100, "samples")

# %% [markdown]
# Look at the worst row beside the mean: at some places the chains would have to run longer.
#
# What the samples are good for: far from the data, one network is as sure as at the data,
# while the samples disagree.

# %% alt="Confidence in the plane of one network and of samples of the posterior"
side = np.linspace(-4, 4, 61, dtype="float32")
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
single = bdlzoo.methods.Deterministic(
    bdlzoo.networks.MLP((2,), hidden=(20,), outputs=2, activation="tanh"), seed=0)
single.compile(keras.optimizers.Adam(0.01))
single.fit(x_moons, y_moons, epochs=200, verbose=0)
panels = {name: m.predict_uncertainty(plane).confidence.reshape(61, 61)
          for name, m in (("one network", single), ("samples by SGLD", model))}
figure = bdlzoo.reports.uncertainty_maps(side, panels, x_moons, y_moons)
figure

# %%
far = np.abs(plane).max(axis=1) > 3.5
for name, confidence in panels.items():
    print(f"{name}: mean confidence at the edge {confidence.ravel()[far].mean():.3f}")

# %% [markdown]
# **A limit.** A walk is right only if its steps are small and it is long enough. With
# batches that are a small part of the data, the noise of the gradient adds to that of the
# method, and the samples are too wide. So they are with long steps. For a line this error
# is known: in a direction of curvature A the variance is 1 / (A (1 - e A / 4)), where e is
# twice the step by the number of rows. Below, the line again, with steps forty times as long.

# %%
hasty = bdlzoo.methods.SGLD(
    line, {"type": "gaussian", "noise_scale": 0.5}, num_chains=4, burn_in=500,
    thinning=20, num_kept=200, prior_scale=1.0, seed=0)
hasty.compile(keras.optimizers.SGD(0.4))
steps = 500 + 20 * 200
hasty.fit(np.tile(x, (steps, 1)), np.tile(y, (steps, 1)), batch_size=len(x),
          num_data=len(x), shuffle=False, verbose=0)
wide = np.asarray(hasty.kept_samples()).reshape(-1, 2).std(axis=0)
precision, e = np.linalg.inv(covariance), 2 * 0.4 / len(x)
predicted = np.linalg.inv(precision @ (np.eye(2) - e * precision / 4))
print("exact std", np.sqrt(np.diag(covariance)).round(3), "hasty walk", wide.round(3),
      "predicted for it", np.sqrt(np.diag(predicted)).round(3))
