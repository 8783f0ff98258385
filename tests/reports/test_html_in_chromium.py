"""The page in a real browser: nothing fails, nothing is fetched, nothing overflows.

Chromium is installed where that is possible (see `chromium.find`); elsewhere the
tests are skipped. `BDLZOO_INSTALL_CHROMIUM=0` keeps machines as they are.
"""

import struct

import pytest

from bdlzoo.reports.html_report import html_report
from tests.reports import chromium
from tests.reports.test_html_report import classifier, regression

# Boxes that end right of the window, but for what scrolls inside of its own box.
_OVERFLOWING = """
[...document.querySelectorAll("body *")].filter(e => {
  const box = e.closest(".scroll");
  return (box === null || box === e)
      && e.getBoundingClientRect().right > innerWidth + 0.5;
}).map(e => e.outerHTML.slice(0, 80))
"""
_IMAGES = "[...document.images].map(i => i.complete && i.naturalWidth > 0)"
LONG = "a_name_without_any_blank_" * 4
REPORTS = {
    "two_classifiers": lambda: [
        classifier("MC dropout", rows=9), classifier(LONG, 1, rows=9, class_names=(
            "<script>alert(1)</script>", "a&b", LONG))],
    "one_classifier": lambda: [classifier("alone", rows=9)],
    "two_regressions": lambda: [regression("one"), regression(LONG)]}


@pytest.fixture(scope="module")
def browser():
    program, reason = chromium.find()
    if program is None:
        pytest.skip(reason)
    with chromium.browser(program) as started:
        yield started


@pytest.fixture(params=REPORTS)
def opened(request, browser, tmp_path):
    """The page of a report, loaded from its file."""
    path = tmp_path / "report.html"
    path.write_text(html_report(REPORTS[request.param]()), encoding="utf-8")
    page = browser.page()
    page.open(path.as_uri())
    return page


def test_report_holds_in_a_browser(opened, tmp_path):
    assert not opened.named("Runtime.exceptionThrown", "Log.entryAdded",
                            "Runtime.consoleAPICalled", "Network.loadingFailed")
    urls = [e["request"]["url"] for e in opened.named("Network.requestWillBeSent")]
    fetched = [url for url in urls if not url.startswith("data:")]
    assert fetched == [(tmp_path / "report.html").as_uri()]
    drawn = opened.run(_IMAGES)
    assert len(drawn) >= 4 and all(drawn)
    heights = {}
    for width in (400, 1400):
        opened.resize(width)
        assert opened.run("innerWidth") == width
        assert opened.run("document.documentElement.scrollWidth") <= width
        assert opened.run(_OVERFLOWING) == []
        heights[width] = opened.run("document.documentElement.scrollHeight")
        path = tmp_path / f"{width}.png"
        opened.screenshot(path)
        assert struct.unpack(">I", path.read_bytes()[16:20]) == (width,)
    assert heights[400] > heights[1400]  # One column on a phone.
    pdf = opened.pdf()
    assert pdf.startswith(b"%PDF") and pdf.count(b"/Type /Page\n") > 1


def test_browser_sees_what_is_wrong(browser, tmp_path):
    """The net itself: a broken page is caught by each of the questions above."""
    path = tmp_path / "broken.html"
    path.write_text("<body><div style='width:3000px'>wide</div><img src='no.png'>"
                    "<script>undefined_name()</script></body>")
    page = browser.page()
    page.resize(400)
    page.open(path.as_uri())
    assert page.named("Runtime.exceptionThrown")
    assert page.run(_IMAGES) == [False]
    assert len(page.run(_OVERFLOWING)) == 1
    assert len(page.named("Network.requestWillBeSent")) == 2
