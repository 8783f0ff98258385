# %% [markdown]
# # From tfp.layers
#
# For years, Bayesian networks in Keras were made of `tfp.layers`. These are layers of Keras
# 2. In a model of Keras 3 they do not fail: they train, and what they train is wrong. This
# tutorial shows how to see it, and how a model moves.

# %%
# %matplotlib inline
import keras
import numpy as np
import tensorflow_probability as tfp

import bdlzoo

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("sine", num_train=2000)
grid = np.linspace(-6, 6, 201, dtype="float32")[:, None]


class Old(keras.Model):
    """A model of Keras 3 with one layer of TensorFlow Probability."""

    def __init__(self):
        super().__init__()
        self.hidden = tfp.layers.DenseFlipout(50, activation="tanh")
        self.out = keras.layers.Dense(1)

    def call(self, rows):
        return self.out(self.hidden(rows))


# %% [markdown]
# The Flipout layer has means and scales of its kernel, and a bias: three variables. The
# dense layer has two. That makes five to train, and one divergence for the loss.

# %%
old = Old()
old(x[:1])
print("variables that Keras 3 trains:", len(old.trainable_variables), "of 5")
print("variables of the Flipout layer:", len(old.hidden.trainable_variables))
print("divergences in the loss:", len(old.losses), "of", len(old.hidden.losses))

# %% [markdown]
# Nothing said so. The zoo refuses such a layer, before anything is trained:

# %%
try:
    bdlzoo.methods.MeanFieldVI(old, "gaussian")
except ValueError as error:
    print(error)

# %% [markdown]
# The move is one word a layer, and one line for the model. The divergence is divided by the
# number of rows, which `fit` reads from the data: no `kernel_divergence_fn`, no
# `model.losses`.

# %%
network = keras.Sequential([
    keras.Input((1,)),
    bdlzoo.layers.DenseFlipout(50, activation="tanh", init_scale=0.01),
    bdlzoo.layers.DenseFlipout(50, activation="tanh", init_scale=0.01),
    keras.layers.Dense(2)])
model = bdlzoo.methods.MeanFieldVI(network, "heteroscedastic_gaussian", seed=0)
model.compile(keras.optimizers.Adam(5e-3))
history = model.fit(x, y, epochs=80, verbose=0).history
print("variables to train:", len(model.trainable_variables))
print("rows that divide the divergence:", int(model.num_data))
for name in ("loss", "nll", "kl"):
    print(f"{name}: {history[name][0]:.2f} -> {history[name][-1]:.2f}")

# %% [markdown]
# The loss is that of Bayes' rule, in nats a row: `nll + kl / num_data`. One can check it.

# %%
rebuilt = history["nll"][-1] + history["kl"][-1] / len(x)
print(f"{rebuilt:.4f} and {history['loss'][-1]:.4f}")

# %% [markdown]
# In place of `[model(x) for _ in range(100)]` there is one call. Each of its draws is one
# set of weights for all rows, so that the curves below are functions.

# %% alt="Twelve functions drawn from the posterior, and the training data"
import matplotlib.pyplot as plt  # noqa: E402

curves = np.asarray(model.sample_outputs(grid, 12, seed=0))[..., 0]
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.plot(grid, curves.T, color="#0072B2", alpha=0.5, linewidth=1)
axes.plot(x[:300], y[:300], ".", color="black", markersize=3)
axes.set(xlabel="x", ylabel="y", ylim=(-3, 3))
figure

# %% alt="Mean, noise of the data and doubt of the model"
figure = bdlzoo.reports.predictive_band(
    grid, model.predict_uncertainty(grid, num_samples=200, seed=0),
    x[:300], y[:300])
figure

# %% [markdown]
# An existing network can also be converted whole: `bdlzoo.bayesianize(network)` keeps its
# weights as means ([any network](any_network.md)). What becomes of each layer and argument
# is in [the table of all](../migration.md).
#
# **A limit.** A mean field is a narrow family: each weight has its own Gaussian, and none
# knows of another. In the gap of the data the doubt is large, as it should be. Look at the
# right end, where there are no data either: there it is smaller than among the data. The
# numbers:

# %%
found = model.predict_uncertainty(np.float32([[-2.5], [0.0], [2.5], [6.0]]),
                                  num_samples=200, seed=0)
print("doubt of the model at -2.5, 0, 2.5 and 6:",
      np.sqrt(found.epistemic[:, 0]).round(3))
