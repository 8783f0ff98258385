"""Hourly sets: no look-ahead, no invented target, honest about holes."""

import csv
import datetime
import gzip
import os

import numpy as np
import pytest

from bdlzoo.data import describe, load
from bdlzoo.data.split import deal

needs_data = pytest.mark.skipif(
    not os.environ.get("BDLZOO_DATA_DIR"),
    reason="BDLZOO_DATA_DIR does not name a folder with the real sets")
START = datetime.datetime(2015, 3, 2)  # A Monday.
METRO = "uci/Metro_Interstate_Traffic_Volume.csv.gz"
PICKUPS = "plain/uber_nyc_enriched.csv.gz"
SPLITS = ("train", "validation", "test")
TEMP, RAIN, CLEAR, SNOW = 7, 8, 11, 19  # Columns behind calendar and holiday.


def _line(hour, count, **changes):
    return {"holiday": "None", "temp": 280 + hour % 5, "rain_1h": 0.1 * (hour % 3),
            "snow_1h": 0, "clouds_all": hour % 7, "weather_main": "Clear",
            "weather_description": "sky is clear",
            "date_time": START + datetime.timedelta(hours=hour),
            "traffic_volume": count, **changes}


def _write(folder, lines, file=METRO):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", newline="") as out:
        writer = csv.DictWriter(out, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


def _counts(num_hours=200):
    return np.random.default_rng(0).integers(100, 5000, num_hours)


def _metro(folder, counts, without=(), **changes):
    _write(folder, [_line(hour, count, **changes.get(f"at_{hour}", {}))
                    for hour, count in enumerate(counts) if hour not in without])


def _all(folder, name="metro_traffic", lags=4):
    """Features and raw targets of all splits, in order of time."""
    options = {"data_dir": folder, "lags": lags}
    mean, std = describe(name, **options).target_scale
    train, *later = [load(name, split, **options) for split in SPLITS]
    num_rows = len(train.y) + sum(len(part.y) for part in later)
    place = deal(num_rows, 0, 0.1, 0.2)["train"].argsort().argsort()
    parts = train._replace(x=train.x[place], y=train.y[place]), *later
    return (np.concatenate([part.x for part in parts]),
            np.rint(np.concatenate([part.y for part in parts]) * std + mean))


def _rows_before(x, y, lags):
    """Whether the column of lag k is the target k rows before, up to scale."""
    for k in range(1, lags + 1):
        column, target = x[lags:, -lags + k - 1], y[lags - k:len(y) - k]
        assert np.corrcoef(column, target)[0, 1] > 0.9999, k


def test_lags_are_the_targets_of_the_hours_before(tmp_path):
    counts = _counts()
    _metro(tmp_path, counts)
    x, y = _all(tmp_path)
    assert x.shape == (196, 7 + 4 + 11 + 4) and x.dtype == np.float32
    np.testing.assert_array_equal(y, counts[4:])  # The first have no past.
    _rows_before(x, y, 4)


@pytest.mark.parametrize("hour", [170, 185, 199])
def test_later_targets_change_no_earlier_feature(tmp_path, hour):
    """In the test part, so that statistics of the training rows stay."""
    counts = _counts()
    _metro(tmp_path, counts)
    before, _ = _all(tmp_path)
    counts[hour:] = counts[hour:][::-1] + 777
    _metro(tmp_path, counts)
    after, _ = _all(tmp_path)
    # Counted from the last hour, 199, so that no shift of the rows can hide.
    first = len(after) - (200 - hour)
    np.testing.assert_array_equal(before[:first + 1], after[:first + 1])
    assert np.all(np.any(before[first + 1:] != after[first + 1:], axis=1))


def test_chronological_order_is_70_10_20_and_time_flows(tmp_path):
    _metro(tmp_path, np.arange(204))
    targets = {}
    for split in SPLITS:
        options = dict(data_dir=tmp_path, validation=0.125, lags=4)
        mean, std = describe("metro_traffic", **options).target_scale
        targets[split] = np.rint(
            load("metro_traffic", split, **options).y * std + mean)
    assert [len(part) for part in targets.values()] == [140, 20, 40]
    assert targets["train"].max() < targets["validation"].min()
    assert targets["validation"].max() < targets["test"].min()
    assert np.any(np.diff(targets["train"]) < 0)  # A fair sample first.
    np.testing.assert_array_equal(targets["test"], np.arange(164, 204))


def test_random_order_mixes_the_times_by_seed(tmp_path):
    _metro(tmp_path, np.arange(204))

    def tests(seed):
        options = dict(data_dir=tmp_path, order="random", lags=4, seed=seed)
        mean, std = describe("metro_traffic", **options).target_scale
        parts = [np.rint(load("metro_traffic", split, **options).y * std + mean)
                 for split in SPLITS]
        assert sorted(np.concatenate(parts)) == list(range(4, 204))
        return set(parts[2])

    assert min(tests(0)) < 50 and tests(0) != tests(1)


@pytest.mark.parametrize("order", ["chronological", "random"])
def test_statistics_are_those_of_the_training_rows(tmp_path, order):
    _metro(tmp_path, _counts())
    options = dict(data_dir=tmp_path, order=order)
    x, y = load("metro_traffic", **options)
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose([y.mean(), y.std()], [0, 1], atol=1e-5)
    assert abs(load("metro_traffic", "test", **options).y.mean()) > 1e-3
    assert describe("metro_traffic", **options)[:3] == ("real", (46,), None)


def test_short_hole_is_filled_among_lags_and_never_a_target(tmp_path):
    counts = _counts()
    _metro(tmp_path, counts, without=(50, 51, 52))
    x, y = _all(tmp_path)
    x = x[:, -4:]
    hours = [hour for hour in range(4, 200) if hour not in (50, 51, 52)]
    np.testing.assert_array_equal(y, counts[hours])
    # Hour 53 sees the count of 49 four times: as lag 4, and for the hole.
    row = hours.index(53)
    scale = [np.polyfit(x[100:, k], counts[np.array(hours[100:]) - k - 1], 1)
             for k in range(4)]
    seen = [np.polyval(scale[k], x[row, k]) for k in range(4)]
    np.testing.assert_allclose(seen, counts[49], rtol=1e-4)
    row = hours.index(54)
    seen = [np.polyval(scale[k], x[row, k]) for k in range(4)]
    np.testing.assert_allclose(seen, counts[[53, 49, 49, 49]], rtol=1e-4)


def test_rows_with_a_longer_hole_among_their_lags_are_dropped(tmp_path):
    counts = _counts()
    _metro(tmp_path, counts, without=(50, 51, 52, 53))
    _, y = _all(tmp_path)
    # Hour 53 has nothing within three hours, and is a lag of 54 to 57.
    kept = [hour for hour in range(4, 200) if not 50 <= hour <= 57]
    np.testing.assert_array_equal(y, counts[kept])


def test_lines_of_one_hour_are_one_row(tmp_path):
    counts = _counts()
    lines = [_line(hour, count) for hour, count in enumerate(counts)]
    lines.insert(31, _line(30, counts[30], weather_main="Snow", temp=299))
    _write(tmp_path, lines)
    x, y = _all(tmp_path)
    np.testing.assert_array_equal(y, counts[4:])
    row = 30 - 4
    others = np.delete(x, row, axis=0)
    assert x[row, SNOW] > others[:, SNOW].max()
    assert x[row, CLEAR] == others[0, CLEAR]  # Both kinds are marked.
    degree = (x[0, TEMP] - x[1, TEMP]) / 4  # They are 284 and 280.
    np.testing.assert_allclose(
        x[row, TEMP] - x[1, TEMP], (289.5 - 280.0) * degree, rtol=1e-3)


def test_holiday_marked_at_midnight_is_the_whole_day(tmp_path):
    _metro(tmp_path, _counts(), at_48={"holiday": "Labor Day"})
    x, _ = _all(tmp_path)
    flagged = x[:, 6] == x[:, 6].max()
    np.testing.assert_array_equal(np.flatnonzero(flagged) + 4, np.arange(48, 72))


def test_impossible_readings_are_the_last_possible_one(tmp_path):
    _metro(tmp_path, _counts(), at_40={"temp": 0.0}, at_61={"rain_1h": 9831.3},
           at_62={"rain_1h": 9831.3})
    x, _ = _all(tmp_path)
    assert x[40 - 4, TEMP] == x[39 - 4, TEMP]
    assert x[61 - 4, RAIN] == x[62 - 4, RAIN] == x[60 - 4, RAIN]
    assert x[41 - 4, TEMP] != x[40 - 4, TEMP]
    assert x[:, TEMP].std() > 0.8  # One of 0 K would have squeezed the rest.


def test_what_is_rare_is_cut_at_five_deviations(tmp_path):
    _metro(tmp_path, _counts(), at_40={"weather_main": "Snow"})
    x, _ = _all(tmp_path)
    assert x[36, SNOW] == 5.0 and abs(x).max() == 5.0


def test_calendar_is_a_circle_of_hours_weekdays_and_months(tmp_path):
    _metro(tmp_path, _counts(800))
    x, _ = _all(tmp_path, lags=1)
    hours = np.arange(1, 800)
    month = np.array([(START + datetime.timedelta(hours=int(h))).month
                      for h in hours])
    for column, (count, cycle) in enumerate((
            (hours % 24, 24), (hours // 24 % 7, 7), (month - 1, 12))):
        for part, wave in enumerate((np.sin, np.cos)):
            expected = wave(2 * np.pi * count / cycle)
            assert np.corrcoef(x[:, 2 * column + part], expected)[0, 1] > 0.9999


def _pickup(hour, borough, count):
    return {"pickup_dt": START + datetime.timedelta(hours=hour),
            "borough": borough, "pickups": count, "spd": hour % 9,
            "vsb": 10 - hour % 2, "temp": 30 + hour % 8, "dewp": 7, "slp": 1023.5,
            "pcp01": 0, "pcp06": 0, "pcp24": 0, "sd": 0,
            "hday": "Y" if hour < 24 else "N"}


def test_pickups_are_totals_over_boroughs(tmp_path):
    counts = np.random.default_rng(0).integers(0, 900, (100, 3))
    _write(tmp_path, [_pickup(hour, borough, count) for hour in range(100)
                      for borough, count in zip(("Bronx", "Queens", "NA"),
                                                counts[hour])], PICKUPS)
    x, y = _all(tmp_path, "pickups")
    assert x.shape == (96, 7 + 9 + 4)
    np.testing.assert_array_equal(y, counts[4:].sum(axis=1))
    _rows_before(x, y, 4)


@pytest.mark.parametrize("name, file, words", [
    ("metro_traffic", METRO, '"Metro Interstate Traffic Volume" of the UCI'),
    ("pickups", PICKUPS, '"NYC Uber Pickups with Weather and Holidays"')])
def test_missing_file_says_what_to_fetch_and_where_to_put_it(
        tmp_path, monkeypatch, name, file, words):
    monkeypatch.delenv("BDLZOO_DATA_DIR", raising=False)
    for folder in (tmp_path, None):
        with pytest.raises(FileNotFoundError) as caught:
            load(name, data_dir=folder)
        message = str(caught.value)
        assert file in message and words in message
        assert "set BDLZOO_DATA_DIR" in message and "Received:" in message
        assert len(message.splitlines()) <= 4
        if folder:
            assert str(folder / file) in message


@pytest.mark.parametrize("lines, words", [
    ([{"date_time": START, "traffic_volume": 3}], r"columns .*no \['holiday'"),
    ([_line(0, "many")], "times and numbers"),
    ([_line(0, "nan")], "finite counts"),
    ([_line(0, 3, date_time="yesterday")], "times and numbers")])
def test_malformed_file_is_refused_with_the_reason(tmp_path, lines, words):
    _write(tmp_path, lines)
    with pytest.raises(ValueError, match=f"Expected .*{words}|{words}"):
        load("metro_traffic", data_dir=tmp_path)


def test_damaged_file_is_refused_with_the_reason(tmp_path):
    _metro(tmp_path, _counts())
    whole = (tmp_path / METRO).read_bytes()
    for content in (b"no gzip", whole[:100], b""):
        (tmp_path / METRO).write_bytes(content)
        with pytest.raises(ValueError, match="a table as csv.gz.*Received: path="):
            load("metro_traffic", data_dir=tmp_path)


@pytest.mark.parametrize("option, words", [
    ({"order": "sorted"}, "Received: order='sorted'"),
    ({"lags": 0}, "Received: lags=0"),
    ({"lag": 24}, r"\['order', 'lags'\].*Received: lag=24")])
def test_wrong_options_are_refused(tmp_path, option, words):
    _metro(tmp_path, _counts())
    with pytest.raises(ValueError, match=words):
        load("metro_traffic", data_dir=tmp_path, **option)


@needs_data
@pytest.mark.parametrize("name, sizes, low, high", [
    ("metro_traffic", (27420, 3917, 7834), 1958, 1988),
    ("pickups", (3024, 432, 863), 1784, 1830)])
def test_real_sets_have_their_known_sizes_and_spread(name, sizes, low, high):
    options = dict(order="random", validation=0.125)
    parts = [load(name, split, **options) for split in SPLITS]
    assert tuple(len(part.y) for part in parts) == sizes
    _, std = describe(name, **options).target_scale
    targets = std * np.concatenate([part.y for part in parts])
    assert low < targets.std() < high  # Metro: what the published table implies.
    assert all(np.isfinite(part.x).all() for part in parts)
