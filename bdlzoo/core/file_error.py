"""One form of error for files that cannot be used."""

import contextlib


class FileError(ValueError):
    """A file is not what was expected.

    Args:
        path: Path of the file.
        expected: String, what was expected.
        advice: String, what to do.
        reason: String or exception, what is wrong with the file.
    """

    def __init__(self, path, expected, advice, reason):
        super().__init__(f"Expected {expected}. {advice} Received: {path}, with the "
                         f"error: {_words(reason)}")
        self.path = path


@contextlib.contextmanager
def reading(path, expected, advice):
    """Explains each error that reading a file raises, whatever is in the file.

    Args:
        path: Path of the file.
        expected: String, what was expected.
        advice: String, what to do.
    """
    try:
        yield
    except FileError:
        raise
    except Exception as error:  # Libraries raise any error on damaged files.
        raise FileError(path, expected, advice, error) from error


def _words(reason):
    """First line of a reason; the type of an error, where its text is no sentence."""
    lines = str(reason).strip().splitlines()
    text = lines[0] if lines else ""
    if isinstance(reason, (ValueError, OSError)) and text:
        return text
    return f"{type(reason).__name__}: {text}" if isinstance(
        reason, Exception) else text
