# %% [markdown]
# # Write a method of your own
#
# A method of the zoo says only what is its own: the loss, the draws, or the step. All else,
# from the progress bar to the server, comes with it. Here is a method for labels of which
# some are wrong, in thirty lines, with a test that would fail if it were broken.

# %%
# %matplotlib inline
import keras
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

import bdlzoo
from bdlzoo.families.dropout_model import DropoutModel

# %% [markdown]
# The idea: if a share `e` of the labels was replaced by a class at random, the label that
# is seen has the probability `(1 - e) p + e / K`. The loss is its negative logarithm. It
# cannot grow without bound: a label that is hopeless costs at most `-log(e / K)`, so that
# the network need not bend to it.
#
# Hooks of a method form a ladder: `draw` (the forward pass), `objective` (the loss),
# `update` (the step), `train_step` (several steps). Take the lowest that is enough. Here it
# is a part of `objective`: `data_loss` gets the log-probability of each label, `[S, B]`.


# %%
@keras.saving.register_keras_serializable(package="tutorial")
class NoisyLabelDropout(DropoutModel):
    """Trains a network with dropout on labels of which some are wrong.

    Args:
        network: Keras model that gives logits and holds dropout layers.
        num_classes: Integer, number of classes.
        noise: Float in [0, 1), share of labels that were replaced.
        **kwargs: Arguments of `DropoutModel`, such as `num_samples` and `seed`.
    """

    def __init__(self, network, num_classes, noise=0.2, **kwargs):
        super().__init__(network, **kwargs)
        if not 0 <= noise < 1:
            raise ValueError(f"Expected a share in [0, 1). Received: noise={noise}")
        self.num_classes = num_classes
        self.noise = noise

    def data_loss(self, log_probs):
        if not self.noise:  # The logarithm of a probability of 0 would be infinite.
            return super().data_loss(log_probs)
        seen = (1 - self.noise) * tf.exp(log_probs) + self.noise / self.num_classes
        return -tf.reduce_mean(tf.math.log(seen), axis=0)  # [B]

    def get_config(self):
        config = super().get_config()
        return {**config, "num_classes": self.num_classes, "noise": self.noise}


# %% [markdown]
# The truth tests come before any training. First a closed form, then the limit: without
# noise it must be MC dropout, step by step.

# %%
keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("digits")
x_test, y_test = bdlzoo.data.load("digits", "test")


def network():
    """A perceptron with dropout."""
    return bdlzoo.networks.MLP(x.shape[1:], hidden=(256,), outputs=10, dropout=0.2)


method = NoisyLabelDropout(network(), num_classes=10, noise=0.3)
probabilities = np.float32([[0.9, 0.5, 1e-30]])  # [S, B]
expected = -np.log(0.7 * probabilities[0] + 0.03)
print("closed form:", np.abs(method.data_loss(np.log(probabilities)) - expected).max())

# %%
same = network()
start, losses = same.get_weights(), []
for model in (NoisyLabelDropout(same, 10, noise=0.0, seed=0),
              bdlzoo.methods.MCDropout(same, seed=0)):
    same.set_weights(start)
    model.compile(keras.optimizers.SGD(0.1))
    losses.append(model.fit(x, y, epochs=2, verbose=0).history["loss"])
print("without noise, and MC dropout:", *losses)

# %% [markdown]
# Now the use. 40 % of the training labels are replaced by a class at random; the test
# labels are right.

# %%
draw = np.random.default_rng(0)
replaced = draw.uniform(size=len(y)) < 0.4
wrong = np.where(replaced, draw.integers(0, 10, len(y)), y).astype("int32")
print(f"{np.mean(wrong != y):.3f} of the training labels are wrong")
curves, models = {}, {}
for name, model in (("MC dropout", bdlzoo.methods.MCDropout(network(), seed=0)),
                    ("noisy labels", NoisyLabelDropout(network(), 10, noise=0.4, seed=0))):
    model.compile(keras.optimizers.Adam(2e-3))
    curves[name] = model.fit(x, wrong, epochs=40, verbose=0,
                             validation_data=(x_test, y_test)).history["val_accuracy"]
    models[name] = model

# %% alt="Test accuracy over the epochs of MC dropout and of the new method"
figure, axes = plt.subplots(figsize=(5.5, 3.4), layout="constrained")
for name, values in curves.items():
    axes.plot(np.arange(1, 41), values, label=name)
axes.set(xlabel="epoch", ylabel="test accuracy, true labels")
axes.legend(frameon=False)
figure

# %%
for name, values in curves.items():
    print(f"{name}: best {max(values):.3f}, at the end {values[-1]:.3f}")

# %% [markdown]
# What came with it, without a line of code: files, calibration, draws by seed, and a
# served model that does not need this class.

# %%
model = models["noisy labels"]
model.save("noisy.keras")
loaded = keras.saving.load_model("noisy.keras")
both = [m.predict_uncertainty(x_test[:50], seed=0).mean for m in (model, loaded)]
print("loaded model, largest difference:", float(np.max(np.abs(both[0] - both[1]))))
served = tf.saved_model.load(model.export("served/noisy"))
print("signatures:", list(served.signatures))

# %% [markdown]
# **A limit.** The share of wrong labels was given. If it is not known, it must be chosen on
# rows with labels that you trust. To add a method to the zoo, follow
# [the checklist](../../CONTRIBUTING.md#adding-a-method): it asks for a config, and the
# contract then tests XLA, replicas, mixed precision, resume, and errors.
