"""Hourly counts with weather, from files in a data folder, `BDLZOO_DATA_DIR`.

    metro_traffic  uci/Metro_Interstate_Traffic_Volume.csv.gz   vehicles an hour
    pickups        plain/uber_nyc_enriched.csv.gz               rides of a city

The features of an hour, in this order:

    calendar  sine and cosine of hour, weekday and month; whether a holiday
    weather   its readings in that hour, and whether it had each kind of weather
    lags      the targets of the hours before: y[t - 1], ..., y[t - lags]

What the files leave open, and what is done about it:

- Several lines of one hour are one row: readings are averaged, kinds of weather
  joined. The counts of metro_traffic are the same on each such line, those of
  pickups are of one borough each and are added up.
- A holiday is marked at midnight in metro_traffic, and meant for the whole day.
- A reading that cannot be (0 K, 9831 mm of rain in an hour) is replaced by the
  last one that can.
- No target is made up: an hour that the file lacks is no row. In the lags of
  later rows it has the last count before it, up to three hours back; a row
  with a longer hole among its lags is dropped, as are the first `lags` hours.
- Standardised features are cut at five standard deviations, which some kinds of
  weather would leave by far as they were seen a few times in years.

No feature knows a target of its own hour or of a later one. With
`order="random"`, rows of the test set lie between those of the training set, and
lags of the one are targets of the other: easier than any forecast, and reported
beside it since the split of published tables is not known.
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
_FILL = 3  # Hours for which the last count stands in, among lags only.
_FARTHEST = 5.0  # Standard deviations.


class _Source(typing.NamedTuple):
    """Where a set is, and what its columns mean."""

    file: str
    what: str  # To ask for it by.
    time: str
    target: str
    add_up: bool  # Whether lines of one hour count parts of its target.
    holiday: str
    ordinary: str  # What stands in the column of holidays on other days.
    readings: dict  # Column: the lowest and highest value that can be.
    kinds: dict  # Column: the words that may stand in it.


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
    """What is known of each hour that a file has, in order of time."""

    hours: np.ndarray
    targets: np.ndarray
    features: np.ndarray


def load(name, split, seed, validation, data_dir, **options):
    """One split of the set `name`."""
    x, y, rows, _ = _read(name, seed, validation, data_dir, **options)
    chosen = choose(rows, split, name)
    return Split(x[chosen], y[chosen])


def describe(name, seed, validation, data_dir, **options):
    """Shape of an input, `None` as there are no classes, scale of the targets."""
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
        raise ValueError("Expected how many hours to look back, at least 1. "
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
    """Row numbers of the splits; those of "train" in random order."""
    rows = deal(num_rows, seed, validation, _TEST)
    if order == "random":
        return rows
    train, held_out = len(rows["train"]), len(rows["validation"])
    return {"train": np.argsort(rows["train"]),
            "validation": np.arange(train, train + held_out),
            "test": np.arange(train + held_out, num_rows)}


def _past(series, lags):
    """Targets of the hours before each row, NaN where they are not known."""
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
    """Sine and cosine of hour, weekday and month: midnight is next to 23."""
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
    """Columns of the file as lists of words, by name."""
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
