# %% [markdown]
# # Batch normalisation and dropout
#
# The usual recipe for Monte Carlo dropout in Keras is `network(x, training=True)`. With
# batch normalisation in the network it is wrong, in three ways that give no error. This
# tutorial shows them, one by one, and then the right way.

# %%
# %matplotlib inline
import keras
import matplotlib.pyplot as plt
import numpy as np
from keras import layers

import bdlzoo

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")
x_test, y_test = bdlzoo.data.load("digits", "test")
network = keras.Sequential([
    keras.Input(x.shape[1:]), layers.Flatten(),
    layers.Dense(128), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.5),
    layers.Dense(128), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.5),
    layers.Dense(10)])
model = bdlzoo.methods.MCDropout(network, num_samples=64, seed=0)
model.compile("adam")
model.fit(x, y, epochs=15, verbose=0)
print("accuracy", np.mean(model.predict_uncertainty(x_test).label == y_test))

# %% [markdown]
# First fault: asking changes the model. In training mode, batch normalisation updates its
# running statistics, also when nobody trains. Here the network is asked 50 times about
# noise, as a busy server might be.

# %%
statistics = [w for w in network.non_trainable_variables if "moving" in w.path]
weights = network.get_weights()
before = np.concatenate([w.numpy() for w in statistics])
noise = np.random.default_rng(0).uniform(0, 3, x_test.shape).astype("float32")
for _ in range(50):
    network(noise, training=True)
after = np.concatenate([w.numpy() for w in statistics])
right = np.argmax(network(x_test, training=False), axis=-1) == y_test
print(f"{np.mean(before != after):.0%} of the statistics moved; "
      f"accuracy is now {np.mean(right):.3f}")
network.set_weights(weights)

# %% [markdown]
# Second fault: the answer for a row depends on the other rows, because the statistics are
# those of the batch. Third: a row alone has no variance, so that all its features vanish.
# Dropout is set aside here, so that only batch normalisation is seen. Each test image is
# asked about alone, among 31 digits, and among 31 images of noise.

# %%
still = keras.models.clone_model(
    network, clone_function=lambda layer: layers.Identity(name=layer.name)
    if isinstance(layer, layers.Dropout) else layer.__class__.from_config(
        layer.get_config()))
still.set_weights(weights)
company = {"alone": x[:0], "among digits": x[:31], "among noise": noise[:31]}
answers = {}
for name, others in company.items():
    said = [still(np.concatenate([x_test[i:i + 1], others]), training=True)[0]
            for i in range(100)]
    answers[name] = np.asarray(keras.ops.softmax(np.stack(said)))
    right = np.mean(answers[name].argmax(axis=1) == y_test[:100])
    print(f"{name}: {right:.2f} right")
changed = np.abs(answers["among digits"] - answers["among noise"]).max(axis=1)
print(f"a probability changes with the company by {changed.mean():.2f} on average, "
      f"and by up to {changed.max():.2f}")
still.set_weights(weights)

# %% alt="Probabilities of the classes for one image, alone, among digits, among noise"
figure, every = plt.subplots(1, 4, figsize=(9, 2.4), sharey=True, layout="constrained")
worst = int(changed.argmax())
row = x_test[worst:worst + 1]
shown = {name: answer[worst] for name, answer in answers.items()}
shown["the model, alone"] = model.predict_uncertainty(row, seed=0).mean[0]
for axes, (name, answer) in zip(every, shown.items()):
    axes.bar(np.arange(10), answer)
    axes.set(title=name, xlabel="class", ylim=(0, 1), xticks=range(10))
every[0].set_ylabel("probability")
figure

# %%
print("true class of this image:", y_test[worst])

# %% [markdown]
# The right way keeps inference mode, and turns on nothing but dropout. A draw is one mask
# for all rows of a batch. So a row gets the same answer alone and among others, and no
# variable of the model is written.

# %%
before = [w.numpy() for w in network.variables]
alone = model.predict_uncertainty(row, seed=0).mean[0]
crowd = np.concatenate([row, noise[:31]])
among = model.predict_uncertainty(crowd, seed=0).mean[0]
unmoved = all(np.array_equal(a, w.numpy()) for a, w in zip(before, network.variables))
print("largest difference, alone and among noise:", float(np.max(np.abs(alone - among))))
print("variables unchanged:", unmoved)

# %% [markdown]
# The masks are on all the same: draws differ, and their disagreement is larger for noise.

# %%
for name, rows in (("digits", x_test), ("noise", noise)):
    found = model.predict_uncertainty(rows, seed=0)
    print(f"{name}: mutual information {np.mean(found.mutual_information):.3f} nats")

# %% [markdown]
# **A limit.** The running statistics were gathered in training, with dropout on in front
# of the second normalisation. Dropout changes the variance of what it lets through, so
# that statistics of training and of a network without masks do not match exactly. Draws
# with masks, as here, are what the statistics were made for; switching dropout off, as
# `network(x)` does, is the odd case.
