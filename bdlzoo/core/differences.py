"""Differences between two dictionaries, in words."""


def differences(there, here, prefix=""):
    """Yields the names under which two dictionaries differ, with both values.

    Args:
        there: Dictionary of JSON values, of a file.
        here: The same of this program.
        prefix: String, name of the dictionaries.
    """
    names = sorted({*there, *here}, key=lambda name: (name != "type", name))
    for name in names:
        a, b = there.get(name), here.get(name)
        path = f"{prefix}.{name}" if prefix else name
        if isinstance(a, dict) and isinstance(b, dict):
            yield from differences(a, b, path)
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for place, (one, other) in enumerate(zip(a, b)):
                if one != other:
                    yield from differences({place: one}, {place: other}, path)
        elif a != b:
            yield f"{path} ({_short(a)} there, {_short(b)} here)"


def _short(value):
    text = repr(value)
    return text if len(text) < 100 else f"{text[:97]}..."
