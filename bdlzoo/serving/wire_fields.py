"""Number of fields of a protobuf message, before it is parsed.

A message in a message takes two bytes where it is sent, and about a hundred in memory
where it is parsed: 64 MiB of empty ones would take gigabytes. Numbers that are packed,
and bytes, are one field each, however long.
"""

import functools

_VARINT, _EIGHT, _LENGTH, _BEGIN, _END, _FOUR = range(6)  # Kinds on the wire.


def has_more(sent, descriptor, most):
    """Whether a message has more fields than it may, those of its parts included.

    Bytes that are no such message end the count, since its parser refuses them.

    Args:
        sent: Bytes.
        descriptor: Descriptor of the message.
        most: Integer.
    """
    count, open_parts = 0, [(0, len(sent), descriptor)]
    try:
        while open_parts:
            place, end, kind = open_parts.pop()
            while place < end:
                count += 1
                if count > most:
                    return True
                tag, place = _varint(sent, place)
                if tag & 7 == _VARINT:
                    _, place = _varint(sent, place)
                elif tag & 7 == _LENGTH:
                    size, place = _varint(sent, place)
                    part = _message(kind, tag >> 3)
                    if part is not None:
                        open_parts.append((place, min(place + size, end), part))
                    place += size
                else:
                    place += {_EIGHT: 8, _FOUR: 4, _BEGIN: 0, _END: 0}[tag & 7]
    except (IndexError, KeyError):
        return False
    return False


def _varint(sent, place):
    """A number of seven bits a byte, the last of which is below 128, and its end."""
    number = shift = 0
    while sent[place] > 127:
        number |= (sent[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if shift > 63:
            raise IndexError(place)
    return number | sent[place] << shift, place + 1


@functools.lru_cache(1024)
def _message(kind, number):
    """Descriptor of the messages in a field; `None` for what is no message."""
    field = kind.fields_by_number.get(number)
    return None if field is None else field.message_type
