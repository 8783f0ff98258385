"""Checks of a built site: links that lead nowhere, and files from elsewhere."""

import html.parser
import pathlib
import urllib.parse

# What a browser fetches by itself when a page is viewed.
_FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src",
            "source": "src"}
_NO_FILE = {"canonical", "next", "prev", "alternate"}  # Links for search engines.


class Page(html.parser.HTMLParser):
    """Collects links, fetched files and anchors of a page.

    Args:
        text: String, the page.
    """

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if _FETCHED.get(tag) in given and given.get("rel") not in _NO_FILE:
            self.fetched.append(given[_FETCHED[tag]])


def problems(folder):
    """Links and fetched files that are not there, as a list of sentences.

    Args:
        folder: Folder of the site.
    """
    folder = pathlib.Path(folder).resolve()
    parsed = {path: Page(path.read_text()) for path in folder.rglob("*.html")}
    told = []
    for path, page in sorted(parsed.items()):
        here = path.relative_to(folder)
        if here.name == "404.html":
            continue  # Its links start at the root of the server.
        for address in page.fetched:
            if urllib.parse.urlsplit(address).netloc:
                told.append(f"{here} fetches {address}")
        for address in (*page.links, *page.fetched):
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            there = path if not parts.path else (
                path.parent / urllib.parse.unquote(parts.path)).resolve()
            if not there.is_file():
                told.append(f"{here} leads to {address}, which is not there")
            elif parts.fragment and there in parsed and urllib.parse.unquote(
                    parts.fragment) not in parsed[there].anchors:
                told.append(f"{here} leads to {address}, where there is no such place")
    return told
