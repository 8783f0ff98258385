"""Checks in Chromium that no page is wider than the window.

A harness page, served beside the site on the loopback interface, loads every page into
a frame of the asked width and notes how wide it would like to be. Scripts of the pages
are off: that is faster, and what a reader without them sees.
"""

import contextlib
import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

_OF_CODE = 25  # Of so many pages that show a file of code, one is looked at.
_HARNESS = """<!doctype html><title>widths</title><pre id="found">working</pre>
<iframe id="frame" sandbox="allow-same-origin"
        style="width:WIDTHpx;height:900px;border:0"></iframe>
<script>
const names = NAMES, found = {}, frame = document.getElementById("frame");
function next() {
  if (!names.length) {
    document.getElementById("found").textContent = JSON.stringify(found);
    document.title = "done";
    return;
  }
  const name = names.shift();
  frame.onload = () => setTimeout(() => {
    const page = frame.contentDocument, root = page.documentElement;
    const wide = [];
    if (root.scrollWidth > WIDTH)
      for (const part of page.querySelectorAll("body *"))
        if (part.getBoundingClientRect().right > WIDTH + 1 && !inside(part, page))
          wide.push(part.tagName.toLowerCase() + ": " +
                    (part.textContent || part.src || "").trim().slice(0, 60));
    found[name] = [root.scrollWidth, wide.slice(0, 3)];
    next();
  }, 20);
  frame.src = name;
}
function inside(part, page) {
  for (let box = part.parentElement; box && box !== page.body; box = box.parentElement)
    if (page.defaultView.getComputedStyle(box).overflowX !== "visible") return true;
  return false;
}
next();
</script>"""


def chromium():
    """Path of Chromium, or `None` where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def problems(folder, width):
    """Pages that are wider than the window, as a list of sentences.

    Args:
        folder: Folder of the site.
        width: Integer, width of the window in pixels.
    """
    found = measured(folder, width, looked_at(folder))
    return [f"{name} is {wide} pixels wide in a window of {width}: {'; '.join(parts)}"
            for name, (wide, parts) in sorted(found.items()) if wide > width]


def looked_at(folder):
    """Pages to look at: all, but of the many that show a file of code only a few.

    Args:
        folder: Folder of the site.
    """
    names = sorted(path.relative_to(folder).as_posix()
                   for path in pathlib.Path(folder).rglob("*.html"))
    code = [name for name in names if name.startswith("source/")]
    return [name for name in names if name not in code] + code[::_OF_CODE]


def measured(folder, width, names=None):
    """Dictionary from the name of a page to its width and what is too wide in it.

    Args:
        folder: Folder of the site.
        width: Integer, width of the window in pixels.
        names: List of pages below the folder; `None` is all.
    """
    folder = pathlib.Path(folder).resolve()
    names = names or looked_at(folder)
    text = _HARNESS.replace("NAMES", json.dumps(names)).replace("WIDTH", str(width))
    with _served(folder, text) as address:
        page = _run("--dump-dom", "--timeout=600000",
                    f"--window-size={max(width, 500)},1000",
                    f"--virtual-time-budget={1000 * (10 + len(names))}",
                    f"{address}/harness")
    found = re.search(r'<pre id="found">(.*?)</pre>', page, re.S)[1]
    if not found.startswith("{"):
        raise ValueError("Expected that Chromium lays out all pages in time. Received: "
                         f"{found[:200]!r}")
    return json.loads(found.replace("&lt;", "<").replace("&gt;", ">")
                      .replace("&amp;", "&"))


def photograph(folder, name, width, path, height=1600):
    """Writes a picture of a page as it looks at a width.

    Args:
        folder: Folder of the site.
        name: String, page below the folder.
        width: Integer, pixels.
        path: File of the picture.
        height: Integer, pixels.
    """
    frame = (f'<!doctype html><body style="margin:0"><iframe src="{name}" '
             f'style="width:{width}px;height:{height}px;border:0"></iframe>')
    with _served(pathlib.Path(folder).resolve(), frame) as address:
        _run(f"--screenshot={path}", f"--window-size={max(width, 500)},{height}",
             "--virtual-time-budget=4000", "--hide-scrollbars", f"{address}/harness")


def _run(*words):
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium(), "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             f"--user-data-dir={profile}", *words],
            capture_output=True, text=True, timeout=900)
    return done.stdout


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and the harness, without a word."""

    def __init__(self, *args, harness, **kwargs):
        self.harness = harness
        super().__init__(*args, **kwargs)

    def do_GET(self):
        if self.path != "/harness":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.harness.encode())

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def _served(folder, harness):
    """Serves a folder and the harness on the loopback interface."""
    handler = functools.partial(_Handler, harness=harness, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
