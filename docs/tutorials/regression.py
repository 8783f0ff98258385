# %% [markdown]
# # Regression and forecasting
#
# A prediction of a number can be off for two reasons: the data are noisy, or the model has
# seen no data there. More data cure the second and not the first, so that it is worth to
# tell them apart. This tutorial does so on a curve, and then forecasts an hourly series.

# %%
# %matplotlib inline
import keras
import matplotlib.pyplot as plt
import numpy as np

import bdlzoo

keras.utils.set_random_seed(0)
x, y = bdlzoo.data.load("sine", num_train=400)
print(x.shape, y.shape)

# %% [markdown]
# The likelihood says what the outputs of the network mean. With
# `"heteroscedastic_gaussian"` there are two: a mean, and the noise at this input. Ten
# networks are trained side by side, and their disagreement is the doubt of the model. The
# data have a gap in the middle, and their noise grows to the right.

# %%
network = bdlzoo.networks.MLP((1,), hidden=(50, 50), outputs=2)
model = bdlzoo.methods.DeepEnsemble(network, "heteroscedastic_gaussian",
                                    num_members=10, seed=0)
model.compile(keras.optimizers.Adam(5e-3))
model.fit(x, y, epochs=150, verbose=0)
grid = np.linspace(-6, 6, 241, dtype="float32")[:, None]
found = model.predict_uncertainty(grid)

# %% alt="Mean of a curve with a band of noise and a band of the doubt of the model"
figure = bdlzoo.reports.predictive_band(grid, found, x, y, truth=np.sin(1.5 * grid))
figure

# %% [markdown]
# The figures behind the picture: standard deviations of the noise as the model sees it,
# those that made the data, and the doubt of the model.

# %%
for place in (-4, -2, 0, 2, 4, 6):
    at = np.abs(grid[:, 0] - place).argmin()
    true = 0.05 + 0.3 * (place + 4) / 8
    known = "in the data" if 1 <= abs(place) <= 4 else "not in the data"
    print(f"x = {place:2}: noise {np.sqrt(found.aleatoric[at, 0]):.3f} (true {true:.3f}),"
          f" doubt {np.sqrt(found.epistemic[at, 0]):.3f}, {known}")

# %% [markdown]
# Now a series: counts of an hour over 100 days, with a day, a week, and noise that is
# larger when there is more traffic. A row holds the time of the day and of the week, and
# behind them the last 24 values, the newest first.

# %%
draw = np.random.default_rng(0)
hours = np.arange(24 * 100)
day, week = 2 * np.pi * hours / 24, 2 * np.pi * hours / 168
level = 3 + 1.5 * np.sin(day - 2) + 0.7 * np.sin(week) + 0.5 * np.sin(2 * day)
drift = np.zeros(len(hours))
for t in range(1, len(hours)):  # What the last hours know and the clock does not.
    drift[t] = 0.9 * drift[t - 1] + draw.normal(0, 0.15)
counts = level + drift + draw.normal(0, 0.1 + 0.1 * level / 3)
lags = np.stack([counts[24 - k:len(counts) - k] for k in range(1, 25)], axis=1)
clock = np.stack([np.sin(day), np.cos(day), np.sin(week), np.cos(week)], axis=1)[24:]
rows = np.hstack([clock, (lags - 3) / 2]).astype("float32")
targets = ((counts[24:, None] - 3) / 2).astype("float32")
print(rows.shape, targets.shape)

# %% [markdown]
# The order of time is kept: the first 70 days train, 12 days calibrate, 17 days test. An
# LSTM reads the lagged values; its dropout has one mask for all its steps.

# %%
ends = 24 * 70, 24 * 82
train, held_out, test = (
    (rows[a:b], targets[a:b]) for a, b in ((0, ends[0]), ends, (ends[1], None)))
network = bdlzoo.networks.LSTMEncoder((28,), length=24, units=24, hidden=(32,),
                                      outputs=2, rate=0.05)
forecast = bdlzoo.methods.MCDropout(network, "heteroscedastic_gaussian", seed=0)
forecast.compile(keras.optimizers.Adam(5e-3))
forecast.fit(*train, epochs=12, verbose=0)
said = forecast.predict_uncertainty(test[0], num_samples=64, seed=0)
yesterday = test[0][:, 4 + 23]  # The value of 24 hours ago.
print(f"RMSE {np.sqrt(np.mean((said.mean - test[1])**2)):.3f}; of yesterday's value "
      f"{np.sqrt(np.mean((yesterday - test[1][:, 0])**2)):.3f}")

# %% [markdown]
# An interval of 90 % should hold 90 % of the values. The one below is computed from the
# prediction; `calibrate(method="interval")` stretches it until it held 90 % of the held-out
# rows.

# %%
low, high = said.interval(0.9)
covered = np.mean((low <= test[1]) & (test[1] <= high))
forecast.calibrate(*held_out, method="interval", level=0.9)
said = forecast.predict_uncertainty(test[0], num_samples=64, seed=0)
low, high = said.conformal_interval
after = np.mean((low <= test[1]) & (test[1] <= high))
print(f"share inside of 90 %: {covered:.3f}, calibrated {after:.3f}, of {len(low)} hours")

# %% alt="Three days of an hourly series, the forecast and its interval of 90 percent"
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
hour = np.arange(72)
axes.fill_between(hour, low[:72, 0], high[:72, 0], alpha=0.3, linewidth=0,
                  label="interval of 90 %")
axes.plot(hour, said.mean[:72, 0], label="forecast")
axes.plot(hour, test[1][:72, 0], ".", color="black", label="what came")
axes.set(xlabel="hours", ylabel="scaled count")
axes.legend(frameon=False, ncols=3)
figure

# %% [markdown]
# **A limit.** Held-out rows promise a coverage for rows of the same kind. A series changes
# with time: the promise holds as long as the future is like the days that calibrated it.
# And each row here is a forecast of one hour; a forecast of a whole day ahead needs the
# draws to be fed back.
