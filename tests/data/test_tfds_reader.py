"""TFDS sets, on small prepared ones and on the real MNIST where it is."""

import os

import numpy as np
import pytest
import tensorflow_datasets as tfds

from bdlzoo.data import class_names, describe, load

needs_data = pytest.mark.skipif(
    not os.environ.get("TFDS_DATA_DIR"),
    reason="TFDS_DATA_DIR does not name a folder with prepared sets")
IMAGES = np.random.default_rng(0).integers(0, 256, (50, 4, 4, 1), "uint8")


def _prepare(folder, name, features, splits, supervised=("x", "y")):
    """Writes a set as TFDS would; `splits` has arrays `(x, y)`."""
    def info(self):
        return tfds.core.DatasetInfo(
            builder=self, features=tfds.features.FeaturesDict(features),
            supervised_keys=supervised)

    def generate(self, x, y):
        yield from enumerate({"x": a, "y": b} for a, b in zip(x, y, strict=True))

    with tfds.core.registered.skip_registration():
        builder = type(name, (tfds.core.GeneratorBasedBuilder,), {
            "__module__": __name__, "name": name,
            "VERSION": tfds.core.Version("1.0.0"), "_info": info,
            "_generate_examples": generate,
            "_split_generators": lambda self, _: {
                key: self._generate_examples(*split)
                for key, split in splits.items()}})
        builder(data_dir=folder).download_and_prepare()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tfds")
    image = tfds.features.Image(shape=(4, 4, 1))
    label = tfds.features.ClassLabel(num_classes=5)
    vector = tfds.features.Tensor(shape=(3,), dtype=np.float64)
    real = tfds.features.Scalar(np.float64)
    labels = np.arange(50) % 5
    table = np.arange(150.0).reshape(50, 3), np.arange(50.0)
    _prepare(folder, "small_images", {"x": image, "y": label},
             {"train": (IMAGES, labels), "test": (IMAGES[:8], labels[:8])})
    _prepare(folder, "small_table", {"x": vector, "y": real}, {"train": table})
    _prepare(folder, "no_keys", {"x": vector, "y": real}, {"train": table}, None)
    _prepare(folder, "no_train", {"x": vector, "y": real}, {"test": table})
    _prepare(folder, "image_target", {"x": image, "y": image},
             {"train": (IMAGES, IMAGES)})
    _prepare(folder, "any_size", {"x": tfds.features.Image(), "y": label},
             {"train": (np.repeat(IMAGES, 3, axis=-1), labels)})
    return folder


def _sorted(rows):
    rows = rows.reshape(len(rows), -1)
    return rows[np.lexsort(rows.T)]


def test_native_test_is_kept(folder):
    x, y = load("small_images", "test", data_dir=folder)
    assert x.dtype == np.float32 and y.dtype == np.int32
    np.testing.assert_allclose(
        _sorted(x), _sorted(IMAGES[:8].astype("float32") / 255), rtol=1e-6)


def test_train_and_validation_are_the_native_train(folder):
    train, validation = (
        load("small_images", split, validation=0.3, data_dir=folder)
        for split in ("train", "validation"))
    assert train.x.shape == (35, 4, 4, 1) and len(validation.x) == 15
    np.testing.assert_allclose(
        _sorted(np.concatenate([train.x, validation.x])),
        _sorted(IMAGES.astype("float32") / 255), rtol=1e-6)
    everything = load("small_images", validation=0, data_dir=folder)
    assert np.bincount(everything.y).tolist() == [10] * 5


def test_labels_stay_with_their_images(folder):
    x, y = load("small_images", validation=0, data_dir=folder)
    pixels = np.rint(x * 255).astype("uint8")
    for image, label in zip(pixels, y, strict=True):
        [row] = np.flatnonzero((IMAGES == image).all(axis=(1, 2, 3)))
        assert row % 5 == label


def test_same_seed_same_bits_and_other_seed_other_rows(folder):
    first, again, other = (load("small_images", seed=seed, data_dir=folder).x
                           for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(_sorted(first), _sorted(other))


def test_set_without_test_gets_a_fifth_as_one(folder):
    splits = [load("small_table", split, data_dir=folder)
              for split in ("train", "validation", "test")]
    assert [len(split.y) for split in splits] == [36, 4, 10]
    assert splits[0].x.shape == (36, 3) and splits[0].y.dtype == np.float32
    together = np.sort(np.concatenate([split.y for split in splits]))
    np.testing.assert_array_equal(together, np.arange(50))


def test_description_needs_no_rows(folder):
    assert describe("small_images", data_dir=folder) == (
        "classes", (4, 4, 1), 5, None)
    assert describe("small_table", data_dir=folder) == ("real", (3,), None, None)
    assert describe("mnist", data_dir=folder / "empty") == (
        "classes", (28, 28, 1), 10, None)


@pytest.mark.parametrize("name, words", [
    ("no_keys", "supervised keys.*name='no_keys'"),
    ("no_train", "'train' split.*name='no_train'"),
    ("image_target", "as target.*name='image_target'"),
    ("any_size", "one fixed shape.*name='any_size'"),
])
def test_sets_of_another_kind_are_refused(folder, name, words):
    with pytest.raises(ValueError, match=words):
        load(name, data_dir=folder)


def test_empty_validation_cannot_be_loaded(folder):
    with pytest.raises(ValueError, match="`validation` to more than 0 rows"):
        load("small_images", "validation", validation=0, data_dir=folder)


def test_failed_download_says_what_was_looked_for_and_where(
        tmp_path, monkeypatch):
    def fail(self, **_):
        raise ConnectionError("no route\nto the host")
    monkeypatch.setattr(
        tfds.core.DatasetBuilder, "download_and_prepare", fail)
    with pytest.raises(FileNotFoundError) as caught:
        load("mnist", data_dir=tmp_path)
    message = str(caught.value)
    for words in ("'mnist'", str(tmp_path), "ConnectionError: no route",
                  "tfds build mnist", "set TFDS_DATA_DIR"):
        assert words in message
    assert len(message.splitlines()) <= 4


def test_damaged_copy_says_which_folder_to_renew(tmp_path):
    label = tfds.features.ClassLabel(num_classes=5)
    _prepare(tmp_path, "cut", {"x": tfds.features.Image(shape=(4, 4, 1)),
                               "y": label}, {"train": (IMAGES, np.zeros(50, int))})
    [file] = (tmp_path / "cut").glob("**/*tfrecord*")
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(ValueError, match="prepare it again"):
        load("cut", data_dir=tmp_path)


@needs_data
def test_mnist_has_its_known_labels():
    x, y = load("mnist", "test")
    assert x.shape == (10000, 28, 28, 1) and x.max() == 1 and x.min() == 0
    assert np.bincount(y).tolist() == [
        980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


def _prepare_masks(folder):
    """Images of two sizes with masks of labels 1 to 3, as in `oxford_iiit_pet`."""
    def info(self):
        return tfds.core.DatasetInfo(builder=self, supervised_keys=("image", "label"),
                                     features=tfds.features.FeaturesDict({
            "image": tfds.features.Image(), "label": tfds.features.ClassLabel(
                num_classes=2),
            "segmentation_mask": tfds.features.Image(shape=(None, None, 1))}))

    def generate(self):
        for row in range(10):
            height, width = (8, 12) if row % 2 else (4, 4)
            mask = np.ones((height, width, 1), "uint8")
            mask[:, width // 2:] = 3  # The right half.
            yield row, {"image": np.repeat(80 * mask, 3, axis=-1), "label": row % 2,
                        "segmentation_mask": mask}

    with tfds.core.registered.skip_registration():
        type("small_masks", (tfds.core.GeneratorBasedBuilder,), {
            "__module__": __name__, "name": "small_masks",
            "VERSION": tfds.core.Version("1.0.0"), "_info": info,
            "_generate_examples": generate,
            "_split_generators": lambda self, _: {"train": self._generate_examples()},
        })(data_dir=folder).download_and_prepare()


def test_masks_are_targets_of_one_size(tmp_path):
    _prepare_masks(tmp_path)
    options = dict(mask="segmentation_mask", size=(4, 6), num_classes=3, first_label=1,
                   data_dir=tmp_path)
    x, y = load("small_masks", validation=0, **options)
    assert x.shape == (8, 4, 6, 3) and x.max() <= 1 and y.shape == (8, 4, 6)
    np.testing.assert_array_equal(y[:, :, :3], 0)
    np.testing.assert_array_equal(y[:, :, 3:], 2)
    np.testing.assert_allclose(x[:, :, [0, -1]], np.broadcast_to(
        np.reshape([80 / 255, 240 / 255], (1, 1, 2, 1)), (8, 4, 2, 3)), atol=0.02)
    assert describe("small_masks", **options)[:3] == ("classes", (4, 6, 3), 3)
    assert class_names("small_masks", **options) == ("0", "1", "2")
    for change, words in (({"first_label": 0}, "labels from 0 to 2.*from 1 to 3"),
                          ({"mask": "label"}, "mask='label'"),
                          ({"size": None}, "size=None")):
        with pytest.raises(ValueError, match=words):
            load("small_masks", **{**options, **change})
