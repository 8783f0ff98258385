# %% [markdown]
# # Adversarial attacks and training
#
# A small change of an image, chosen against a network, can change its answer. This says
# something about networks: they separate the data, but close to them. This tutorial
# attacks a network of digits, shows why a weak attack is no evidence, and trains a network
# that withstands more.

# %%
# %matplotlib inline
import keras
import matplotlib.pyplot as plt
import numpy as np

import bdlzoo
from bdlzoo.attacks import FGSM, PGD, UniformNoise
from bdlzoo.evaluation.robustness import robustness

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")
x_test, y_test = bdlzoo.data.load("digits", "test")


def network(dropout=0.0):
    """A perceptron of two layers."""
    return bdlzoo.networks.MLP(x.shape[1:], hidden=(128, 128), outputs=10,
                               dropout=dropout)


plain = bdlzoo.methods.Deterministic(network(), seed=0)
plain.compile("adam")
plain.fit(x, y, epochs=20, verbose=0)
print("accuracy", np.mean(plain.predict_uncertainty(x_test).label == y_test))

# %% [markdown]
# An attack may change each pixel by at most `epsilon`; pixels go from 0 to 1. FGSM takes
# one step, in the direction in which the loss grows. PGD takes many, and comes back into
# the ball after each. Noise of the same size is the comparison.

# %%
epsilon = 0.15
attacks = {"noise": UniformNoise(epsilon), "FGSM": FGSM(epsilon),
           "PGD": PGD(epsilon, epsilon / 4, 20)}
found = robustness(plain, x_test, y_test, attacks)
print({name: round(value, 3) for name, value in found.accuracy().items()})

# %% alt="Digits, digits with noise, and digits after an attack by PGD"
changed = {name: np.asarray(attacks[name](plain, x_test[:8], y_test[:8], seed=0))
           for name in ("noise", "PGD")}
said = plain.predict_uncertainty(changed["PGD"]).label
figure = bdlzoo.reports.image_grid(
    np.stack([x_test[:8], *changed.values()]), rows=["image", "noise", "PGD"],
    columns=[f"{label}, was {true}" for label, true in zip(said, y_test)])
figure

# %% [markdown]
# The numbers below the images are what the network says about the attacked ones. Random
# noise of this size does far less: the direction matters, not the size.
#
# Adversarial training attacks every batch while it trains, and learns from the attacked
# images. It costs as many passes as the attack has steps.

# %%
robust = bdlzoo.methods.AdversarialTraining(
    network(), epsilon=epsilon, attack=dict(type="PGD", num_steps=5,
                                            step_size=epsilon / 3), seed=0)
robust.compile("adam")
robust.fit(x, y, epochs=20, verbose=0)
doubtful = bdlzoo.methods.MCDropout(network(0.3), num_samples=32, seed=0)
doubtful.compile("adam")
doubtful.fit(x, y, epochs=20, verbose=0)

# %% [markdown]
# Does Bayes help by itself? An attack on MC dropout must follow the gradient of the average
# over draws, or it attacks one draw and says little about the others. The zoo's attacks do
# that: `num_samples` draws in each gradient.

# %%
models = {"plain": plain, "MC dropout": doubtful, "adversarial training": robust}
radii = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
curves = {}
for name, model in models.items():
    draws = 8 if name == "MC dropout" else 1
    attacks = {f"{radius}": PGD(radius, radius / 4, 20, num_samples=draws)
               for radius in radii[1:]}
    found = robustness(model, x_test, y_test, attacks).accuracy()
    curves[name] = [found["natural"], *(found[key] for key in attacks)]
print("epsilon".ljust(20), *[f"{radius:5}" for radius in radii])
for name, values in curves.items():
    print(f"{name:20}", *[f"{value:.3f}" for value in values])

# %% alt="Accuracy against the radius of the attack, for three ways of training"
figure, axes = plt.subplots(figsize=(5.5, 3.6), layout="constrained")
for name, values in curves.items():
    axes.plot(radii, values, "o-", label=name)
axes.set(xlabel="epsilon: largest change of a pixel", ylabel="accuracy", ylim=(0, 1.02))
axes.legend(frameon=False)
figure

# %% [markdown]
# Does the doubt rise under attack? It need not: an attack that turns the answer may lead to
# a place where all draws agree again.

# %%
attacked = np.asarray(PGD(epsilon, epsilon / 4, 20, num_samples=8)(
    doubtful, x_test, y_test, seed=0))
for name, rows in (("digits", x_test), ("attacked", attacked)):
    prediction = doubtful.predict_uncertainty(rows, seed=0)
    wrong = prediction.label != y_test
    doubt = prediction.mutual_information
    print(f"{name}: {wrong.mean():.3f} wrong; doubt where right "
          f"{doubt[~wrong].mean():.3f}, where wrong {doubt[wrong].mean():.3f} nats")

# %% [markdown]
# **A limit.** An accuracy under attack is an upper bound: it holds for the attacks that
# were tried. `robustness(model, x, y, epsilon=0.15)` runs a stronger group of attacks that
# needs no step size. Below, the network that was trained against PGD.

# %%
strong = robustness(robust, x_test, y_test, epsilon=epsilon).accuracy()
print({name: round(value, 3) for name, value in strong.items()})
