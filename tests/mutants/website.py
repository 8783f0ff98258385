"""One-line faults of `tools/website`, and the tests that must see them."""

MUTANTS = [
    ("pages.py", "places.get(there) or _source_page(there)", "_source_page(there)",
     "tests/tools/test_website.py -k links_are_moved"),
    ("pages.py", "part if _CODE.fullmatch(part) else _LINK.sub(moved, part)",
     "_LINK.sub(moved, part)", "tests/tools/test_website.py -k links_are_moved"),
    ("links.py", "elif parts.fragment and there in parsed and",
     "elif parts.fragment and there not in parsed and",
     "tests/tools/test_website.py -k not_there"),
    ("gallery.py", "if file not in seen:", "if file:",
     "tests/tools/test_website.py -k shown_once"),
]
