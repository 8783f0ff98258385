# %% [markdown]
# # Fine-tune a network that you have trained
#
# A network that took long to train becomes Bayesian in a few epochs, and keeps its answers.
# `BayesAdapter` takes it as the mean of a posterior, and learns the width of that posterior.
# Here a trained network of the package takes the place of yours.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")
x_test, y_test = bdlzoo.data.load("digits", "test")
trained = bdlzoo.from_preset("digits/deterministic").network
print(type(trained).__name__, f"with {trained.count_params():,} weights")

# %% [markdown]
# The network is copied; yours stays as it is. Means go on with a small learning rate. The
# scales start small and have a rate of their own, which must be large for a short
# fine-tune.

# %%
model = bdlzoo.methods.BayesAdapter(trained, log_scale=(-5.0, -4.5), seed=0)
model.compile(
    keras.optimizers.SGD(1e-3, momentum=0.9, nesterov=True),
    scale_optimizer=keras.optimizers.SGD(1.0, momentum=0.9, nesterov=True))
history = model.fit(x, y, epochs=3, verbose=0)
print("nll of the epochs:", np.round(history.history["nll"], 4))

# %%
point = bdlzoo.evaluation.adopted.adopted(
    trained, x_test, likelihood="categorical")
for name, m in (("before", point), ("after", model)):
    found = m.predict_uncertainty(x_test, num_samples=64, seed=0)
    nll = -np.mean(found.log_prob(y_test))
    print(f"{name}: accuracy {np.mean(found.label == y_test):.4f}, nll {nll:.4f}, "
          f"confidence {np.mean(found.confidence):.4f}")

# %% [markdown]
# The answers stay close to those of your network; that is the aim. What is new is that the
# draws disagree. But do they disagree where they should? Look at pure noise.

# %%
noise = np.random.default_rng(0).uniform(size=x_test.shape).astype("float32")


def compare(model):
    """Mutual information of digits and of noise, and how well it tells them apart."""
    known, outside = (model.predict_uncertainty(rows, num_samples=64, seed=0)
                      .mutual_information for rows in (x_test, noise))
    area = bdlzoo.evaluation.detection.detection(known, outside)["auroc"]
    print(f"digits {np.mean(known):.4f} nats, noise {np.mean(outside):.4f} nats, "
          f"AUROC {area:.4f}")
    return known, outside


plain = compare(model)

# %% [markdown]
# Nobody has told the model that noise is strange. It can be told: two draws are pushed
# apart on the rows that you give as `uncertain_inputs`, while they learn the digits as
# before. The noise of the training is not that of the test.

# %%
strange = np.random.default_rng(1).uniform(size=x.shape).astype("float32")
told = bdlzoo.methods.BayesAdapter(trained, log_scale=(-5.0, -4.5), seed=0)
told.compile(
    keras.optimizers.SGD(1e-3, momentum=0.9, nesterov=True),
    scale_optimizer=keras.optimizers.SGD(1.0, momentum=0.9, nesterov=True))
told.fit(x, y, epochs=5, verbose=0, uncertain_inputs=strange)
informed = compare(told)

# %% alt="Mutual information of digits and of noise, without and with being told"
figure = bdlzoo.reports.uncertainty_histogram(
    {"digits": informed[0], "noise, told": informed[1], "noise, not told": plain[1]},
    "Mutual information, nats")
figure

# %%
found = told.predict_uncertainty(x_test, num_samples=64, seed=0)
print(f"told: accuracy {np.mean(found.label == y_test):.4f}, "
      f"nll {-np.mean(found.log_prob(y_test)):.4f}")

# %% [markdown]
# **A limit.** What the model is told helps for inputs of that kind, and is no promise for
# others. Below, the same question for digits on their side.

# %%
noise = np.rot90(x_test, axes=(1, 2)).copy()
for name, m in (("not told", model), ("told", told)):
    print(name, end=": ")
    compare(m)
