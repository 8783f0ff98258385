"""What a protobuf message holds, before it is parsed.

A message in a message takes two bytes where it is sent, and about a hundred in memory
where it is parsed: 64 MiB of empty ones would take gigabytes. Whole numbers that are
packed are one field, but one of a byte takes eight in memory, and as much again while
their array grows. Other numbers that are packed, and bytes, take what they have.
"""

import functools

from google.protobuf.descriptor import FieldDescriptor

_VARINT, _EIGHT, _LENGTH, _BEGIN, _END, _FOUR = range(6)  # Kinds on the wire.
_WIDTHS = {  # Bytes in memory of what has a byte or more on the wire.
    **dict.fromkeys((FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_UINT64,
                     FieldDescriptor.TYPE_SINT64), 8),
    **dict.fromkeys((FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_UINT32,
                     FieldDescriptor.TYPE_SINT32, FieldDescriptor.TYPE_ENUM), 4)}
_GOING_ON = bytes(range(128, 256))  # Bytes after which a number goes on.


def count(sent, descriptor, most_fields, most_bytes):
    """Counts fields, those of parts included, and bytes of whole numbers in memory.

    It ends with the first that is above its limit. Bytes that are no such message end
    it too, since its parser refuses them.

    Args:
        sent: Bytes.
        descriptor: Descriptor of the message.
        most_fields: Integer.
        most_bytes: Integer.

    Returns:
        Tuple of two integers.
    """
    fields, taken, open_parts = 0, 0, [(0, len(sent), descriptor)]
    try:
        while open_parts:
            place, end, kind = open_parts.pop()
            while place < end:
                fields += 1
                if fields > most_fields or taken > most_bytes:
                    return fields, taken
                tag, place = _varint(sent, place)
                if tag & 7 == _VARINT:
                    _, place = _varint(sent, place)
                elif tag & 7 == _LENGTH:
                    size, place = _varint(sent, place)
                    part, width = _content(kind, tag >> 3)
                    if part is not None:
                        open_parts.append((place, min(place + size, end), part))
                    elif width:
                        taken += width * len(
                            sent[place:place + size].translate(None, _GOING_ON))
                    place += size
                else:
                    place += {_EIGHT: 8, _FOUR: 4, _BEGIN: 0, _END: 0}[tag & 7]
    except (IndexError, KeyError):
        pass
    return fields, taken


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
def _content(kind, number):
    """Descriptor of the messages in a field, or `None`, and the width of its numbers.

    The width is 0 for what takes as much in memory as on the wire.
    """
    field = kind.fields_by_number.get(number)
    return (None, 0) if field is None else (
        field.message_type, _WIDTHS.get(field.type, 0))
