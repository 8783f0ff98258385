"""The gallery: all pictures of the pages, each with a link to its page."""

import os
import re

_PICTURE = re.compile(r"!\[([^\]]+)\]\(([^)\s]+\.png)\)")
_HEADINGS = {"index.md": "Home", "guide.md": "Guide", "choosing.md": "Choosing",
             "tutorials/": "Tutorials", "results/": "Results",
             "benchmarks/": "Benchmarks"}


def page(texts):
    """The text of the gallery.

    A picture that is on several pages is shown for the first of them.

    Args:
        texts: Dictionary from the path of a page to its text.
    """
    seen, parts = set(), ["# Gallery", "", "All pictures of these pages. A click "
                          "leads to the page."]
    for start, heading in _HEADINGS.items():
        lines = []
        for path, text in texts.items():
            if path != start and not (start.endswith("/") and path.startswith(start)):
                continue
            title = (re.findall(r"^# (.*)", text, re.M) or [path])[0]
            for words, picture in _PICTURE.findall(text):
                file = os.path.normpath(os.path.join(os.path.dirname(path), picture))
                if file not in seen:
                    seen.add(file)
                    words = words[:1].upper() + words[1:]
                    lines += ["", f"[![{words}]({file})]({path})", "",
                              f"{words}: [{title.replace('`', '')}]({path})"]
        if lines:
            parts += ["", f"## {heading}", *lines]
    return "\n".join(parts) + "\n"
