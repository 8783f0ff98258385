"""Data sets of hourly counts with weather, in the folder `BDLZOO_DATA_DIR`.

    metro_traffic  uci/Metro_Interstate_Traffic_Volume.csv.gz   vehicles an hour
    pickups        plain/uber_nyc_enriched.csv.gz               rides of a city

The features of an hour, in this order:

    calendar  sine and cosine of hour, weekday and month; whether it is a holiday
    weather   readings of that hour; for each kind of weather, whether it occurred
    lags      the targets of the hours before: y[t - 1], ..., y[t - lags]

How the files are read:

- Several lines of one hour are one row: readings are averaged, kinds of weather are
  joined. In metro_traffic the lines of an hour have the same count. In pickups each
  line is the count of one borough, and the counts are added up.
- In metro_traffic a holiday is marked at midnight; here it holds for the whole day.
- An impossible reading (0 K, 9831 mm of rain in an hour) is replaced by the last
  possible one.
- No target is invented: an hour that is not in the file is no row. In the lags of
  later rows it has the last count before it, up to three hours back. A row with a
  longer gap among its lags is dropped, and so are the first `lags` hours.
- Standardised features are clipped at five standard deviations, because kinds of
  weather that are very rare would have much larger values.

No feature contains a target of its own hour or of a later one. With `order="random"`,
rows of the test set lie between those of the training set, and lags of one set are
targets of the other. That is easier than a forecast. It is reported as well, since the
split of published tables is not known.
"""

import csv
import gzip
import numbers
import os
import pathlib
import typing
import zlib

import numpy as np

from bdlzoo.data.split import Split, choose, deal, standardise

_VARIABLE = "BDLZOO_DATA_DIR"
_ORDERS = ("chronological", "random")
_TEST = 0.2  # Share of the rows.
_FILL = 3  # Missing hours that the last count may fill, in lags only.
_FARTHEST = 5.0  # Largest feature, in standard deviations.


class _Source(typing.NamedTuple):
    """File of a data set, and meaning of its columns."""

    file: str
    what: str  # Name of the public data set, for error messages.
    time: str
    target: str
    add_up: bool  # Whether the counts of one hour are added up.
    holiday: str
    ordinary: str  # Value of the column of holidays on other days.
    readings: dict  # Column: lowest and highest possible value.
    kinds: dict  # Column: possible values.


_SOURCES = {
    "metro_traffic": _Source(
        file="uci/Metro_Interstate_Traffic_Volume.csv.gz",
        what='"Metro Interstate Traffic Volume" of the UCI repository',
        time="date_time", target="traffic_volume", add_up=False,
        holiday="holiday", ordinary="None",
        readings={"temp": (200, 330), "rain_1h": (0, 305), "snow_1h": (0, 305),
                  "clouds_all": (0, 100)},
        kinds={"weather_main": (
            "Clear", "Clouds", "Drizzle", "Fog", "Haze", "Mist", "Rain", "Smoke",
            "Snow", "Squall", "Thunderstorm")}),
    "pickups": _Source(
        file="plain/uber_nyc_enriched.csv.gz",
        what='"NYC Uber Pickups with Weather and Holidays", a public compilation '
             "(uber_nyc_enriched.csv, packed with gzip)",
        time="pickup_dt", target="pickups", add_up=True,
        holiday="hday", ordinary="N",
        readings={"spd": (0, 250), "vsb": (0, 100), "temp": (-60, 130),
                  "dewp": (-60, 130), "slp": (850, 1090), "pcp01": (0, 12),
                  "pcp06": (0, 40), "pcp24": (0, 80), "sd": (0, 200)},
        kinds={}),
}
NAMES = tuple(_SOURCES)
OPTIONS = ("order", "lags")


class _Series(typing.NamedTuple):
    """Targets and features of the hours in a file, in order of time."""

    hours: np.ndarray
    targets: np.ndarray
    features: np.ndarray


def load(name, split, seed, validation, data_dir, **options):
    """Returns one split of the set `name`."""
    x, y, rows, _ = _read(name, seed, validation, data_dir, **options)
    chosen = choose(rows, split, name)
    return Split(x[chosen], y[chosen])


def describe(name, seed, validation, data_dir, **options):
    """Returns the shape of an input, `None` for the classes, and scale of targets."""
    x, _, _, scale = _read(name, seed, validation, data_dir, **options)
    return x.shape[1:], None, scale


def available(data_dir=None):
    """What the sets are whose files are there, by name."""
    root = pathlib.Path(data_dir or os.environ.get(_VARIABLE) or _VARIABLE)
    return {name: f"Counts by the hour ({source.target}), regression"
            for name, source in _SOURCES.items()
            if (root.expanduser() / source.file).is_file()}


def _read(name, seed, validation, data_dir, order="chronological", lags=24):
    if order not in _ORDERS:
        raise ValueError(f"Expected one of {_ORDERS}. Received: order={order!r}")
    if not isinstance(lags, numbers.Integral) or lags < 1:
        raise ValueError("Expected a number of hours, at least 1. "
                         f"Received: lags={lags!r}")
    series = _series(_SOURCES[name], data_dir)
    past = _past(series, lags)
    features = np.concatenate([series.features, past], axis=1)
    whole = np.isfinite(features).all(axis=1)
    rows = _deal(int(whole.sum()), seed, validation, order)
    x, _ = standardise(features[whole], rows["train"])
    y, (mean, std) = standardise(series.targets[whole], rows["train"])
    return (np.clip(x, -_FARTHEST, _FARTHEST), y, rows,
            (float(mean), float(std)))


def _deal(num_rows, seed, validation, order):
    """Row numbers of the splits; those of "train" are in random order."""
    rows = deal(num_rows, seed, validation, _TEST)
    if order == "random":
        return rows
    train, held_out = len(rows["train"]), len(rows["validation"])
    return {"train": np.argsort(rows["train"]),
            "validation": np.arange(train, train + held_out),
            "test": np.arange(train + held_out, num_rows)}


def _past(series, lags):
    """Targets of the hours before each row, NaN if they are not known."""
    first, last = series.hours[0], series.hours[-1]
    place = (series.hours - first).astype(int)
    known = np.full((last - first).astype(int) + 1, np.nan)
    known[place] = series.targets
    latest = np.zeros(len(known), int)
    latest[place] = place
    latest = np.maximum.accumulate(latest)  # The last hour that has a count.
    near = np.arange(len(known)) - latest <= _FILL
    filled = np.where(near, known[latest], np.nan)
    before = np.concatenate([np.full(lags, np.nan), filled])
    return before[place[:, None] + np.arange(lags)[::-1]]  # [rows, lags]


def _series(source, data_dir):
    path = _find(source, data_dir)
    columns = _columns(path, source)
    try:
        times = np.array(columns[source.time], "datetime64[s]")
        values = {c: np.array(columns[c], "float64")
                  for c in (source.target, *source.readings)}
    except ValueError as error:
        raise ValueError(_malformed(path, "times and numbers", error)) from error
    if not np.isfinite(values[source.target]).all():
        raise ValueError(_malformed(path, "finite counts", "NaN or inf"))
    hours, first, which = np.unique(times.astype("datetime64[h]"),
                                    return_index=True, return_inverse=True)
    target = values[source.target]
    target = np.bincount(which, target) if source.add_up else target[first]
    weather = [_last_known(_mean(_possible(values[c], *ends), which))
               for c, ends in source.readings.items()]
    kinds = [np.bincount(which, np.equal(columns[c], word)) > 0
             for c, words in source.kinds.items() for word in words]
    days = hours.astype("datetime64[D]")
    free = np.not_equal(columns[source.holiday], source.ordinary)
    free = np.isin(days, times[free].astype("datetime64[D]"))
    features = [*_calendar(hours), free, *weather, *kinds]
    return _Series(hours, target, np.stack(features, axis=1).astype("float64"))


def _calendar(hours):
    """Sine and cosine of hour, weekday and month, so that 23 is close to 0."""
    days, months = (hours.astype(f"datetime64[{unit}]") for unit in "DM")
    for count, cycle in ((hours - days, 24), (days - np.datetime64("1970-01-05"), 7),
                         (months.astype(int), 12)):
        angle = 2 * np.pi * (count.astype(int) % cycle) / cycle
        yield from (np.sin(angle), np.cos(angle))


def _possible(values, low, high):
    return np.where((low <= values) & (values <= high), values, np.nan)


def _mean(values, which):
    """Mean over the lines of each hour."""
    return np.bincount(which, values) / np.bincount(which)


def _last_known(values):
    place = np.where(np.isfinite(values), np.arange(len(values)), 0)
    return values[np.maximum.accumulate(place)]


def _columns(path, source):
    """Columns of the file by name, as arrays of strings."""
    try:
        with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
            header, *lines = csv.reader(file)
    except (OSError, EOFError, UnicodeDecodeError, ValueError, zlib.error,
            csv.Error) as error:
        raise ValueError(_malformed(path, "a table as csv.gz", error)) from error
    wanted = (source.time, source.target, source.holiday, *source.readings,
              *source.kinds)
    missing = [column for column in wanted if column not in header]
    if missing:
        raise ValueError(_malformed(path, f"the columns {list(wanted)}",
                                    f"no {missing}"))
    if not lines or {len(line) for line in lines} != {len(header)}:
        raise ValueError(_malformed(
            path, f"lines of {len(header)} words",
            f"{len(lines)} lines, some of other lengths" if lines else "none"))
    return dict(zip(header, map(np.array, zip(*lines))))


def _find(source, data_dir):
    root = data_dir or os.environ.get(_VARIABLE)
    path = pathlib.Path(root or _VARIABLE, source.file).expanduser()
    if root and path.is_file():
        return path
    raise FileNotFoundError(
        f"Expected the file '{source.file}' in the data folder, not found at "
        f"{path}.\nIt is {source.what}: put it there, or set {_VARIABLE} (or "
        f"`data_dir`) to the folder that holds it.\nReceived: "
        f"data_dir={data_dir!r}, {_VARIABLE}={os.environ.get(_VARIABLE)!r}")


def _malformed(path, expected, found):
    return f"Expected {expected}. Received: path={path} with {found}"
