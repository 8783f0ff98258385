"""Conversion of tensors to and from JSON, in the two forms of TF Serving.

    {"instances": [row, row, ...]}    -> {"predictions": [row, row, ...]}
    {"inputs": {name: tensor, ...}}   -> {"outputs": {name: tensor, ...}}

A row is a value, or an object with a value for each input. The name of a single input
may be left out; the name of a single output is left out. Bytes are `{"b64": "..."}`.
Numbers are written with all their digits; NaN and infinity are written as such.
"""

import base64
import json
import reprlib

import numpy as np
import tensorflow as tf

from bdlzoo.serving.serving_error import ServingError

_ACCEPTED = {"f": "iuf", "i": "iu", "u": "iu", "b": "b"}


def parse(body, inputs_of):
    """Reads the tensors of a request.

    Args:
        body: Bytes of JSON.
        inputs_of: Function from the name of a signature to its inputs, a
            dictionary of `TensorInfo`.

    Returns:
        Name of the signature, dictionary of arrays, and whether the request has the
        form with rows.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        # The length that was said may be wrong, and the next bytes anything.
        raise ServingError("INVALID_ARGUMENT", f"JSON Parse error: {error}",
                           closes=True) from error
    if not isinstance(request, dict):
        raise _invalid("Expected a JSON object. Received: "
                       f"{type(request).__name__}")
    signature = request.get("signature_name", "")
    if not isinstance(signature, str):
        raise _invalid("Expected a string as 'signature_name'. Received: "
                       f"{_short(signature)}")
    infos = inputs_of(signature)
    if ("instances" in request) == ("inputs" in request):
        raise _invalid("Expected either 'inputs' or 'instances'. Received: "
                       f"{_short(sorted(request))}")
    by_rows = "instances" in request
    values = _from_rows(request["instances"], infos) if by_rows else (
        _from_columns(request["inputs"], infos))
    return signature, {name: _tensor(name, value, tf.as_dtype(infos[name].dtype))
                       for name, value in values.items()}, by_rows


def _from_rows(rows, infos):
    if not isinstance(rows, list) or not rows:
        raise _invalid("Expected at least one row in a list of 'instances'. "
                       f"Received: {_short(rows)}")
    named = [_is_named(row) for row in rows]
    if not any(named):
        return {_only(infos): rows}
    for row in rows:
        if not _is_named(row) or set(row) != set(infos):
            raise _invalid(f"Expected rows with the keys {sorted(infos)}. Received: "
                           f"{_short(row)}")
    return {name: [row[name] for row in rows] for name in infos}


def _from_columns(values, infos):
    if not _is_named(values):
        return {_only(infos): values}
    missing = set(infos) - set(values)
    if missing:
        raise _invalid(f"Expected the inputs {sorted(infos)}. Received: none for "
                       f"{sorted(missing)}")
    return {name: values[name] for name in infos}


def _only(infos):
    """Name of the single input, for a value without a name."""
    if len(infos) != 1:
        raise _invalid(f"Expected values with the names {sorted(infos)}. Received: "
                       "a value without a name")
    [name] = infos
    return name


def _is_named(value):
    return isinstance(value, dict) and not _is_base64(value)


def _is_base64(value):
    return isinstance(value, dict) and list(value) == ["b64"] and isinstance(
        value["b64"], str)


def _tensor(name, value, dtype):
    if dtype == tf.string:
        strings = _array(name, value, object)
        return np.array([_bytes(name, string) for string in strings.flat],
                        dtype=object).reshape(strings.shape)
    array = _array(name, value)
    kind = np.dtype(dtype.as_numpy_dtype).kind
    if array.size and array.dtype.kind not in _ACCEPTED.get(kind, ""):
        raise _invalid(f"Expected {dtype.name} in {name}. Received: {_short(value)}")
    with np.errstate(over="ignore"):
        converted = array.astype(dtype.as_numpy_dtype)
    if kind != "f":
        lost = converted != array
    elif array.dtype.kind == "f":
        lost = np.isinf(converted) & np.isfinite(array)
    else:  # A float would round some whole numbers.
        lost = np.abs(array) >= 2**(np.finfo(converted.dtype).nmant + 1)
    if lost.any():
        raise _invalid(f"Expected numbers that {dtype.name} can hold in {name}. "
                       f"Received: {array[lost][0]}")
    return converted


def _array(name, value, dtype=None):
    try:
        return np.array(value, dtype)
    except (ValueError, OverflowError) as error:
        raise _invalid(f"Expected lists of the same lengths in {name}. Received: "
                       f"{_short(value)}") from error


def _bytes(name, string):
    if not isinstance(string, str) and not _is_base64(string):
        raise _invalid(f"Expected strings, or bytes as {{\"b64\": ...}}, in {name}. "
                       f"Received: {_short(string)}")
    try:
        if isinstance(string, str):
            return string.encode()  # Which halves of a pair of surrogates are not.
        return base64.b64decode(string["b64"], validate=True)
    except ValueError as error:  # Also of binascii, and of what is not ASCII.
        raise _invalid(f"Expected UTF-8 or base64 in {name}. Received: "
                       f"{_short(string)}, {error}") from error


def encode(outputs, by_rows):
    """Writes the tensors of an answer.

    Args:
        outputs: Dictionary of arrays by name.
        by_rows: Bool, whether the answer has the form with rows.

    Returns:
        String of JSON.
    """
    lists = {name: _plain(name, np.asarray(value)) for name, value in outputs.items()}
    single = next(iter(lists.values())) if len(lists) == 1 else None
    if not by_rows:
        return json.dumps({"outputs": lists if single is None else single})
    sizes = {name: np.shape(value)[:1] for name, value in outputs.items()}
    if len(set(sizes.values())) != 1 or () in sizes.values():
        raise _invalid("Expected outputs with the same number of rows: send the "
                       f"request with 'inputs'. Received: rows={sizes}")
    rows = [dict(zip(lists, row)) for row in zip(*lists.values())]
    return json.dumps({"predictions": rows if single is None else single})


def _plain(name, array):
    if array.dtype != object:
        return array.tolist()
    write = (lambda b: {"b64": base64.b64encode(b).decode()}) if (
        name.endswith("_bytes")) else bytes.decode
    return np.array([write(b) for b in array.flat], dtype=object).reshape(
        array.shape).tolist()


def _short(value):
    """Begin of a value, which need not be written as a whole for it."""
    return reprlib.repr(value)[:80]


def _invalid(message):
    return ServingError("INVALID_ARGUMENT", message)
