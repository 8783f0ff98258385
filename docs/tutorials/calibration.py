# %% [markdown]
# # Calibration, and sets with guaranteed coverage
#
# A model is calibrated if, among the answers that it gives with 80 % confidence, 80 % are
# right. Networks that are trained for long are not: they go on to grow surer after they
# have stopped to get better. Two cheap repairs use rows that were held out: a temperature,
# which corrects the confidence, and conformal sets, which hold the true class as often
# as you ask for.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo
from bdlzoo.reports import reliability_diagram

keras.utils.set_random_seed(0)
noise = np.random.default_rng(0)
x, y = bdlzoo.data.load("digits")
x_test, y_test = bdlzoo.data.load("digits", "test")

# %% [markdown]
# Digits alone are too easy to be wrong about, so that all images get noise. 500 rows
# train; 400 fit the temperature; the others fit the sets. Nothing is used twice.

# %%
x, x_test = (images + noise.normal(0, 0.4, images.shape).astype("float32")
             for images in (x, x_test))
train, for_temperature, for_sets = (
    (x[a:b], y[a:b]) for a, b in ((0, 500), (500, 900), (900, len(x))))
network = bdlzoo.networks.MLP(x.shape[1:], hidden=(256, 256), outputs=10)
model = bdlzoo.methods.Deterministic(network, seed=0)
model.compile("adam")
model.fit(*train, epochs=60, verbose=0)
before = model.evaluate(x_test, y_test, return_dict=True, verbose=0)
confidence = model.predict_uncertainty(x_test).confidence
print(f"right {before['accuracy']:.3f}, sure {np.mean(confidence):.3f}, "
      f"nll {before['nll']:.3f}, ece {before['ece']:.3f}")

# %% [markdown]
# Each dot is a group of answers of similar confidence. A dot below the dashed line means
# that these answers were right less often than the model claimed.

# %% alt="Reliability diagram with dots below the diagonal: an overconfident model"
figure = reliability_diagram(model.predict(x_test, verbose=0), y_test, num_bins=10)
figure

# %% [markdown]
# `calibrate` divides the logits by one number, fitted on the held-out rows. A number
# above 1 means that the model was too sure. It is a part of the model from now on: it is
# saved, and served, with it. The order of the classes does not change, so that accuracy
# stays as it is.

# %%
temperature = model.calibrate(*for_temperature)
after = model.evaluate(x_test, y_test, return_dict=True, verbose=0)
print(f"temperature {float(np.squeeze(temperature)):.2f}")
for name in ("accuracy", "nll", "ece"):
    print(f"{name}: {before[name]:.3f} -> {after[name]:.3f}")

# %% alt="Reliability diagram after calibration, with dots near the diagonal"
figure = reliability_diagram(model.predict(x_test, verbose=0), y_test, num_bins=10)
figure

# %% [markdown]
# A calibrated probability is right on average. A *conformal* set makes a promise instead:
# over the draw of the held-out and the new rows, the set holds the true class with the
# probability that you ask for, whatever the model. A poor model pays with large sets.

# %%
sets = {}
for level in (0.8, 0.9, 0.95, 0.99):
    model.calibrate(*for_sets, method="aps", level=level)
    found = model.predict_uncertainty(x_test)
    held = found.prediction_set[np.arange(len(y_test)), y_test]
    sets[level] = np.mean(held), np.mean(found.set_size)
    print(f"asked for {level:.2f}: covers {sets[level][0]:.3f} with "
          f"{sets[level][1]:.2f} classes on average")

# %% [markdown]
# How far from the promise may a test set of this size be by chance? The share of covered
# rows has a standard error of at least the one below, and the held-out rows add their own.

# %%
rows = len(y_test)
print("standard errors:", {level: round(float(np.sqrt(level * (1 - level) / rows)), 3)
                           for level in sets})

# %% alt="Eight noisy digits with the sets of classes that the model gives"
model.calibrate(*for_sets, method="aps", level=0.9)
found = model.predict_uncertainty(x_test[:8])
texts = [",".join(map(str, np.flatnonzero(row))) or "none"
         for row in found.prediction_set]
figure = bdlzoo.reports.image_grid(x_test[None, :8], columns=texts)
figure

# %% [markdown]
# **A limit.** All of this holds for rows like the held-out ones. If new images have more
# noise, neither the temperature nor the coverage keeps its word:

# %%
worse = x_test + noise.normal(0, 0.4, x_test.shape).astype("float32")
found = model.predict_uncertainty(worse)
held = found.prediction_set[np.arange(len(y_test)), y_test]
print(f"asked for 0.90, on noisier images: {np.mean(held):.3f} with "
      f"{np.mean(found.set_size):.2f} classes on average")
