# %% [markdown]
# # Generating with labels
#
# A model of the density of images can make new ones. If the class is a part of the model,
# one can ask for a class, and a classifier comes with it. This model learns from 1,200
# images of which 100 have a label, and then draws digits on request.

# %%
# %matplotlib inline
import keras
import numpy as np

import bdlzoo

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")
x_test, y_test = bdlzoo.data.load("digits", "test")
few = bdlzoo.data.keep_labels(y, 100)  # -1 marks a row without a label.
print("rows:", len(few), "labels:", int(np.sum(few >= 0)))

# %% [markdown]
# Three networks. One names the class. The encoder proposes a code of 8 numbers for each
# class: the style. The decoder turns a class and a style into an image. An image without a
# label is explained by all classes, each as far as the classifier believes in it.

# %%
shape, latent = x.shape[1:], 8
network = bdlzoo.networks.MLP(shape, hidden=(128, 64), outputs=10, dropout=0.2)
encoder = bdlzoo.networks.MLP(shape, hidden=(128, 64), outputs=2 * 10 * latent)
decoder = bdlzoo.networks.MLP((10 * latent,), hidden=(128,), outputs=64)
model = bdlzoo.methods.SemiSupervisedVAE(
    network, encoder, decoder, label_steps=250,
    kl_weight=bdlzoo.ExponentialFall(4.0, 1e-3, floor=1.0), seed=0)
model.compile(keras.optimizers.Adam(2e-3))
history = model.fit(x, few, epochs=60, verbose=0)

# %% [markdown]
# What did the images without labels add to the classifier? The same network, trained on
# the 100 labels alone, is the comparison. In a training as short as this one: nothing, as
# the figures say. Their worth is the styles, which 100 images could not teach.

# %%
alone = bdlzoo.methods.MCDropout(
    bdlzoo.networks.MLP(shape, hidden=(128, 64), outputs=10, dropout=0.2), seed=0)
alone.compile(keras.optimizers.Adam(2e-3))
alone.fit(x[few >= 0], y[few >= 0], epochs=300, verbose=0)
for name, m in (("with images without labels", model), ("100 labels alone", alone)):
    said = m.predict_uncertainty(x_test, seed=0).label
    print(f"{name}: accuracy {np.mean(said == y_test):.3f}")

# %% [markdown]
# Now the requests: eight of each class, each with a style drawn at random.

# %% alt="Eight digits of each class that the model has made"
made = np.stack([model.generate(8, labels=label, seed=label) for label in range(10)])
figure = bdlzoo.reports.image_grid(made, rows=[str(label) for label in range(10)])
figure

# %% [markdown]
# Is a 3 a 3? A judge decides that has never seen this model: a network of the package,
# trained on all labels. Its mistakes count against the model.

# %%
judge = bdlzoo.from_preset("digits/deterministic")
labels = np.repeat(np.arange(10), 100)
many = model.generate(len(labels), labels=labels, seed=0)
seen = judge.predict_uncertainty(many).label
print(f"as asked: {np.mean(seen == labels):.3f} of {len(labels)}")
print("by class:", {label: float(np.mean(seen[labels == label] == label).round(2))
                    for label in range(10)})

# %% [markdown]
# A style can be kept while the class changes. Each row starts with an image of the test
# set; the others are the same style as all ten digits. Look at slant and thickness.

# %% alt="Four digits of the test set, and the same styles as all ten digits"
rows = []
for place in (1, 2, 5, 8):
    image = x_test[place:place + 1]
    others = [model.transfer(image, labels=label) for label in range(10)]
    rows.append(np.concatenate([image, *others]))
figure = bdlzoo.reports.image_grid(
    np.stack(rows), columns=["image", *map(str, range(10))])
figure

# %% [markdown]
# A density also knows what is unlikely. The log-density of digits, and of digits with mixed
# pixels, in nats:

# %%
mixed = np.random.default_rng(0).permuted(x_test.reshape(-1, 64), axis=1)
mixed = mixed.reshape(x_test.shape)
for name, images in (("digits", x_test), ("mixed pixels", mixed)):
    density = np.asarray(model.log_likelihood(images, num_samples=50, seed=0))
    print(f"{name}: {density.mean():.1f}")

# %% [markdown]
# **A limit.** Pixels are drawn independently around the mean image of the decoder, and
# what you see is that mean: smooth, without the noise that real images have. Sharper
# images come from `StructuredGAN`, which has the same words, `generate` and `transfer`, but
# no density. And a density of pixels is not a density of meaning: a simple image can be
# more probable than a digit.
