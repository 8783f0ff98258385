"""The page in a real browser: an image, a row, draws, and what goes wrong."""

import base64
import json
import time

import numpy as np
import pytest
import tensorflow as tf

from bdlzoo.likelihoods import StochasticLogits
from bdlzoo.methods import VAE, MCDropout
from bdlzoo.networks import MLP, UNet
from bdlzoo.serving.model_server import ModelServer
from bdlzoo.serving.publish import publish
from bdlzoo.serving.rest_server import RESTServer
from tests.reports import chromium

# Drops a file onto the page, as a hand with a mouse does.
_DROP = """
(() => {
  const bytes = Uint8Array.from(atob("%s"), c => c.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], "%s", {type: "image/png"}));
  document.getElementById("drop").dispatchEvent(
    new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
})()
"""
_WIDE = ("[...document.querySelectorAll('body *')].filter("
         "e => e.getBoundingClientRect().right > innerWidth + 0.5).length")


@pytest.fixture(scope="module")
def page(served):
    program, reason = chromium.find()
    if program is None:
        pytest.skip(reason)
    with chromium.browser(program) as browser:
        opened = browser.page()
        opened.open(f"http://127.0.0.1:{served.rest.port}/")
        yield opened


def _until(page, condition, seconds=30):
    """Waits until an expression is true; returns the text of the answer."""
    end = time.monotonic() + seconds
    while not page.run(condition):
        assert time.monotonic() < end, page.run("document.body.innerText")
        time.sleep(0.05)
    return page.run("document.getElementById('answer').innerText")


def _set(page, field, value):
    page.run(f"(() => {{ const field = document.getElementById('{field}'); "
             f"field.value = {json.dumps(value)}; "
             "field.dispatchEvent(new Event('change')); })()")


def _dropped(page, image, name="digit.png"):
    file = image if isinstance(image, bytes) else tf.io.encode_png(image).numpy()
    page.run("document.getElementById('answer').replaceChildren()")
    page.run(_DROP % (base64.b64encode(file).decode(), name))


def test_image_and_row_are_answered_with_uncertainty(page, published, images):
    pixels = np.round(255 * images[:1]).astype("uint8")
    rows = (pixels / 255).astype("float32")
    expected = published.model.predict_uncertainty(rows)
    _dropped(page, pixels[0])
    text = _until(page, "document.querySelectorAll('#answer td').length > 0")
    assert f"Class {expected.label[0]}" in text
    assert f"probability {expected.confidence[0]:.3f}" in text
    for share in expected.probabilities[0]:
        assert f"{share:.3f}" in text
    assert f"{expected.mutual_information[0]:.3f}" in text
    # The same numbers, typed.
    page.run("document.getElementById('answer').replaceChildren()")
    _set(page, "values", ", ".join(map(str, rows.ravel())))
    page.run("document.getElementById('ask').click()")
    assert _until(page, "document.querySelectorAll('#answer td').length > 0") == text
    # Draws and a seed of one's own.
    expected = published.model.predict_uncertainty(rows, 7, seed=11)
    _set(page, "seed", "11")
    _set(page, "draws", "7")
    _until(page, "document.getElementById('answer').innerText.includes("
           f"'probability {expected.confidence[0]:.3f}')")
    assert page.run("document.getElementById('error').textContent") == ""


def test_what_goes_wrong_is_said(page):
    error = "document.getElementById('error').textContent"
    _set(page, "values", "1, 2, x")
    page.run("document.getElementById('ask').click()")
    _until(page, f"{error}.includes('Expected 64 numbers')")
    _dropped(page, b"no image", "notes.txt")
    _until(page, f"{error}.includes('Received: notes.txt')")
    _set(page, "draws", "99")  # Asks again about the last row: too many draws.
    _until(page, f"{error}.includes('num_samples from 1 to 16')")


def test_page_is_whole_and_fits_a_phone(page):
    assert not page.named("Runtime.exceptionThrown", "Network.loadingFailed")
    hosts = {e["request"]["url"].split("/")[2] for e in page.named(
        "Network.requestWillBeSent") if e["request"]["url"].startswith("http")}
    assert len(hosts) == 1 and hosts.pop().startswith("127.0.0.1:")
    for width in (360, 1200):
        page.resize(width)
        assert page.run("document.documentElement.scrollWidth") <= width
        assert page.run(_WIDE) == 0


def test_a_model_without_labels_shows_all_that_it_says(tmp_path, images):
    program, reason = chromium.find()
    if program is None:
        pytest.skip(reason)
    model = VAE(MLP((8, 8, 1), (8,), 6), MLP((3,), (8,), 64), num_samples=4, seed=3)
    model.build((None, 8, 8, 1))
    publish(model, tmp_path / "vae", batch_sizes=(1,))
    models = ModelServer({"vae": tmp_path / "vae"}, poll_seconds=60)
    models.start()
    rest = RESTServer(models)
    rest.start()
    try:
        with chromium.browser(program) as browser:
            page = browser.page()
            page.open(f"http://127.0.0.1:{rest.port}/")
            _set(page, "draws", "7")  # Which such a model is not asked with.
            _set(page, "values", ", ".join(map(str, images[0].ravel())))
            page.run("document.getElementById('ask').click()")
            text = _until(page, "document.querySelectorAll('#answer td').length > 0")
            drawn = page.run("document.querySelectorAll('#answer canvas').length")
    finally:
        rest.stop()
        models.stop()
    assert drawn == 1 and "reconstruction" in text and "code scale" in text
    code = model.encode(images[:1]).mean[0]
    assert f"{float(f'{code[0]:.4g}'):g}" in text


def test_a_class_for_each_pixel_is_shown_as_maps(tmp_path):
    program, reason = chromium.find()
    if program is None:
        pytest.skip(reason)
    model = MCDropout(UNet((16, 20, 3), 4 + 1, (4, 6), dropout=0.5),
                      StochasticLogits(), num_samples=3, seed=3)
    model.build((None, 16, 20, 3))
    publish(model, tmp_path / "scenes", batch_sizes=(1,))
    models = ModelServer({"scenes": tmp_path / "scenes"}, poll_seconds=60)
    models.start()
    rest = RESTServer(models)
    rest.start()
    image = np.random.default_rng(0).integers(0, 256, (16, 20, 3), "uint8")
    expected = model.predict_uncertainty(image[None] / np.float32(255))
    try:
        with chromium.browser(program) as browser:
            page = browser.page()
            page.open(f"http://127.0.0.1:{rest.port}/")
            _dropped(page, image)
            text = _until(page, "document.querySelectorAll('.maps canvas').length == 4")
            sizes = page.run("[...document.querySelectorAll('.maps canvas')].map("
                             "c => c.width + ' ' + c.height).join()")
    finally:
        rest.stop()
        models.stop()
    assert "Maps of 16 x 20 pixels, 4 classes" in text and sizes == ",".join(
        ["20 16"] * 4)
    assert f"up to {expected.predictive_entropy.max():.3f}" in text
    assert f"up to {expected.mutual_information.max():.3f}" in text
    label, count = np.unique(expected.label, return_counts=True)
    assert f"class {label[count.argmax()]}" in text
    assert f"{count.max() / 320:.3f}" in text
