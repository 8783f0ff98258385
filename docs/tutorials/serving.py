# %% [markdown]
# # Serving with seeds
#
# A model that draws at random is hard to run: two servers give two answers, and nobody can
# repeat what a user saw. Here the noise is a function of a seed. This tutorial exports a
# model, asks it in a process that does not have this package, and gets the same answer to
# the last digits that floating point has.

# %%
# %matplotlib inline
import pathlib
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf

import bdlzoo

model = bdlzoo.from_preset("digits/mc_dropout")
x, y = bdlzoo.data.load("digits", "test")
path = pathlib.Path(model.export("served/digits"))
print(sorted(p.name for p in path.iterdir()))
print(f"{sum(p.stat().st_size for p in path.rglob('*') if p.is_file()):,} bytes")

# %% [markdown]
# The folder is a SavedModel, as TF Serving and every other runtime of TensorFlow read it.
# It has three signatures. The first answers with the seed and the draws of the export; the
# second takes those of the request; the third gives raw draws.

# %%
served = tf.saved_model.load(str(path))
for name, signature in served.signatures.items():
    inputs = signature.structured_input_signature[1]
    print(name, {key: tuple(spec.shape) for key, spec in inputs.items()})

# %%
answer = served.signatures["predict"](
    inputs=tf.constant(x[:5]), num_samples=tf.constant([64]),
    seed=tf.constant([[7, 0]]))
for name in ("label", "confidence", "mutual_information"):
    print(name, *(f"{value:.4g}" for value in np.asarray(answer[name])))
print("true", *y[:5])

# %% [markdown]
# Another process, which may not import this package, asks the same question.

# %%
program = """
import sys
sys.modules["bdlzoo"] = None  # An import of it would now fail.
import numpy as np, tensorflow as tf
served = tf.saved_model.load(sys.argv[1])
answer = served.signatures["predict"](
    inputs=tf.constant(np.load("rows.npy")), num_samples=tf.constant([64]),
    seed=tf.constant([[7, 0]]))
np.save("answer.npy", answer["probabilities"])
"""
np.save("rows.npy", x[:5])
subprocess.run([sys.executable, "-c", program, str(path)], check=True,
               capture_output=True)
elsewhere = np.load("answer.npy")
here = model.predict_uncertainty(x[:5], num_samples=64, seed=7).mean
print("largest difference from this process:", float(np.max(np.abs(elsewhere - here))))

# %% [markdown]
# A row gets the same answer alone and in a batch: a draw is one network for all rows.

# %%
ask = served.signatures["predict"]
seed, count = tf.constant([[7, 0]]), tf.constant([64])
batch = ask(inputs=tf.constant(x[:50]), num_samples=count, seed=seed)["probabilities"]
alone = ask(inputs=tf.constant(x[20:21]), num_samples=count, seed=seed)["probabilities"]
print("largest difference:", float(np.max(np.abs(batch[20] - alone[0]))))

# %% [markdown]
# How many draws should a request have? The answer of few draws depends on the seed. Below,
# its spread over 40 seeds, for the image of which the model is least sure. Beside it is the
# spread of the plain average of the draws, from the third signature: the answer is that
# average corrected by the calibration of the model.

# %%
doubt = model.predict_uncertainty(x, seed=0).predictive_entropy
row = tf.constant(x[[int(np.argmax(doubt))]])
counts = (1, 4, 16, 64, 256)
spread = {"calibrated answer": [], "plain average": []}
for number in counts:
    found = {name: [] for name in spread}
    for s in range(40):
        request = dict(inputs=row, num_samples=tf.constant([number]),
                       seed=tf.constant([[s, 0]]))
        found["calibrated answer"].append(ask(**request)["probabilities"])
        draws = served.signatures["samples"](**request)["samples"]  # [S, 1, C]
        found["plain average"].append(tf.reduce_mean(tf.nn.softmax(draws), axis=0))
    for name, answers in found.items():
        spread[name].append(float(np.std(np.stack(answers), axis=0).max()))
    print(f"{number:3} draws: standard deviation of a probability", *(
        f"{values[-1]:.4f} ({name})" for name, values in spread.items()))
print(f"temperature of the calibration {float(model.calibration.temperature):.2f}")

# %% alt="Spread of an answer over seeds against the number of draws, with a slope of -1/2"
figure, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
for name, values in spread.items():
    axes.loglog(counts, values, "o-", label=name)
axes.loglog(counts, spread["plain average"][0] / np.sqrt(counts), "--", color="grey",
            label="one by the square root")
axes.set(xlabel="draws of a request", ylabel="spread over seeds")
axes.legend(frameon=False)
figure

# %% [markdown]
# The plain average follows the law of the square root. A temperature below 1 sharpens the
# answer where two classes compete, and its spread with it.
#
# Wrong requests are refused, and not answered with nonsense:

# %%
for name, rows in (("NaN", x[:1] * np.nan), ("no row", x[:0])):
    try:
        ask(inputs=tf.constant(rows), num_samples=count, seed=seed)
    except tf.errors.InvalidArgumentError as error:
        print(f"{name}:", error.message[error.message.find("Expected"):][:70])

# %% [markdown]
# `bdlzoo serve --model_base_path=served/digits` puts REST, gRPC and a page in front of the
# folder, and [Serving](../serving.md) has the containers, clients and batching.
#
# **A limit.** The same seed gives the same draws on every machine, but sums of floating
# point are not the same on every processor: expect equal answers to about 1e-5, and the
# same bits only on one machine. And a server that joins requests into batches can use
# `serving_default` only, since a batch has one seed.
