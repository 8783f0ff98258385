# %% [markdown]
# # Ensembles and Gaussian processes
#
# Networks that start from different weights agree where there are data, and often disagree
# elsewhere. But how much should they disagree? For one family of networks there is an
# exact answer: with infinitely wide layers, a network is a Gaussian process, whose
# posterior is a formula. Here a plain ensemble and an ensemble that is trained to be such
# a posterior are laid beside it.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo
from bdlzoo.evaluation import nngp_regression

keras.utils.set_random_seed(0)
x = np.linspace(-1.5, 1.5, 8, dtype="float32")[:, None]
y = np.sin(2 * x)
y[-1] -= 1.2  # One value that does not fit.
grid = np.linspace(-4, 4, 161, dtype="float32")[:, None]

# %% [markdown]
# The exact answer first: two hidden layers with ReLU, weights of variance 2 by the number
# of inputs, biases of variance 1, and noise of 0.1 in the data.

# %%
kernel = nngp_regression.ReLUKernel([2.0] * 3, [1.0] * 3)
exact = nngp_regression.posterior(kernel, x, y, grid, noise_scale=0.1)

# %% [markdown]
# The same network with 64 units in place of infinitely many. Its initial weights are
# drawn from that prior.


# %%
def network():
    """A perceptron that starts from the prior."""
    start = dict(
        kernel_initializer=keras.initializers.VarianceScaling(
            2.0, "fan_in", "untruncated_normal"),
        bias_initializer=keras.initializers.RandomNormal(stddev=1.0))
    return keras.Sequential([
        keras.Input((1,)), keras.layers.Dense(64, "relu", **start),
        keras.layers.Dense(64, "relu", **start), keras.layers.Dense(1, **start)])


# %% [markdown]
# `DeepEnsemble` trains 20 members side by side, in one computation. `DEGP` trains them so
# that their mean and covariance are a posterior: it measures the disagreement also at
# random points without data, and pulls it there towards the prior of the network.

# %%
steps = 1000
likelihood = {"type": "gaussian", "noise_scale": 0.1}
models = {
    "deep ensemble": bdlzoo.methods.DeepEnsemble(
        network(), likelihood, num_members=20, own_order=False, seed=0),
    "DE-GP": bdlzoo.methods.DEGP(
        network(), likelihood, num_members=20, num_points=16, box=(-4.0, 4.0),
        weight_variance=2.0, bias_variance=1.0, jitter=1e-4, seed=0)}
for name, model in models.items():
    rate = keras.optimizers.schedules.CosineDecay(3e-3, steps)
    model.compile(keras.optimizers.Adam(rate))
    # All steps in one long epoch; an epoch of one step would be slow.
    model.fit(np.tile(x, (steps, 1)), np.tile(y, (steps, 1)), batch_size=len(x),
              num_data=len(x), shuffle=False, verbose=0)

# %% alt="Mean and band of a deep ensemble, of DE-GP and of the exact posterior"
panels = {"exact": exact}
for name, model in models.items():
    found = model.predict_uncertainty(grid, seed=0)
    panels[name] = np.ravel(found.mean), np.sqrt(np.ravel(found.epistemic))
figure = bdlzoo.reports.posterior_panels(
    grid, {name: panels[name] for name in ("deep ensemble", "DE-GP", "exact")}, x, y)
figure

# %% [markdown]
# Look at the value that does not fit, on the right. The exact posterior passes it by: with
# noise of 0.1, and these neighbours, it is unlikely. Every member of the plain ensemble
# goes through it, and all of them agree on that.

# %%
places = np.abs(grid - x.T).argmin(axis=0)  # Of the grid, nearest to the data.
for name, (mean, std) in panels.items():
    outside = std[np.abs(np.ravel(grid)) > 2.9].mean()
    print(f"{name}: std at the data {std[places].mean():.4f}, far away {outside:.3f}, "
          f"mean at the last point {mean[places[-1]]:.2f} (value {y[-1, 0]:.2f})")

# %% [markdown]
# The plain ensemble is almost certain at the data, as if they had no noise. It is doubtful
# far away too, but nothing holds that doubt at the right size: compare it with the exact
# one. It is what is left of the initial weights, and other initial weights change it.
#
# **A limit.** The exact formula needs a matrix of all training rows, and exists for few
# architectures. `DEGP` is an approximation of it for any number of rows. Its divergence is
# measured at random points of a box, so that it needs inputs that fill a box: on images
# the box is almost empty of images, and a plain ensemble is the stronger baseline
# ([measured on Fashion-MNIST](../results/degp_fashion.md)).
