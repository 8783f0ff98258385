"""Seeded requests over HTTP, good and bad: bodies, heads and framing.

`bodies` makes what a JSON body may hold, `heads` bytes that a socket sends. Each case
of `heads` says how many answers it may get at most: more of them mean that a part of a
body was read as a request.
"""

import base64
import json
import struct
import zlib

# What stands in the place of a value that was right.
_VALUES = [
    None, True, False, "", "a", "ä", "\ud800", -1, 0, 0.5, 2**31, 2**63, 2**64, -2**63,
    10**400, 1e300, -0.0, float("nan"), float("inf"), [], [[]], {}, [None], [[1], 2],
    [1, "a"], {"b64": "ü"}, {"b64": "%%%"}, {"b64": ""}, {"b64": "AAE"}, {"b64": 3},
    {"b64": "AAE=", "more": 1}, {"inputs": 1}, [{"inputs": [0.5]}], [0.5] * 65,
    [[[[0.5]] * 8] * 8] * 3, [[[[[0.5]] * 8] * 8]]]
_NAMES = ["", "predict", "samples", "serving_default", "none", "ä", "a" * 3000, 3, None,
          ["predict"], "\ud800", "__saved_model_init_op"]
_TARGETS = ["{0}:predict", "{0}:classify", "{0}:regress", "{0}/versions/1:predict",
            "{0}/versions/9:predict", "{0}/versions/" + "9" * 4400 + ":predict",
            "{0}/versions/-1:predict", "{0}/versions/1e3", "{0}/labels/a:predict",
            "{0}/metadata", "{0}", "{0}/", "/v1/models/", "/v1/models/%00:predict",
            "/v1/models/%ff%fe", "/v1/models/..%2f..%2fetc/metadata", "/v1", "/",
            "/favicon.ico", "//[", "/%", "/v1/models/a?b#c", "*", "http://a/b",
            "http://[/v1/models/a", "/" + "a" * 3000]

_CODINGS = ["gzip", "x", "", "chunked, chunked", "chunked;q=1", "xchunked",
            "chu\vnked", "gzip, chunked"]


def png(height, width, rows=None):
    """Bytes of a grey PNG; `rows` of its pixels are there, all of them if `None`."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    rows = height if rows is None else rows
    lines = (b"\0" + b"\x80" * width) * rows if rows else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def mutated(rng, data):
    """Bytes with a few of them changed, left out, doubled or cut off."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if not data:
            break
        place, what = rng.randrange(len(data)), rng.randrange(5)
        if what == 0:
            data[place] = rng.randrange(256)
        elif what == 1:
            del data[place:place + rng.randint(1, 8)]
        elif what == 2:
            data[place:place] = data[place:place + rng.randint(1, 16)]
        elif what == 3:
            data[place:place] = rng.randbytes(rng.randint(1, 8))
        elif rng.random() < 0.3:
            del data[place:]
    return bytes(data)


def file(rng):
    """Bytes of an image, whole or not."""
    whole = png(rng.randint(1, 12), rng.randint(1, 12))
    return rng.choice([
        whole, mutated(rng, whole), whole[:rng.randrange(len(whole))],
        png(2**rng.randint(10, 30), 2**rng.randint(10, 30), rows=0), b"", b"text",
        b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HH", 65000, 65000) + b"\3" * 9,
        b"GIF89a" + struct.pack("<HH", 60000, 60000) + bytes(9), b"BM" + bytes(60),
        b"RIFF" + rng.randbytes(4) + b"WEBPVP8X" + rng.randbytes(20),
        b"\xff\x0a" + rng.randbytes(20), rng.randbytes(rng.randint(1, 60))])


def good(rng, model):
    """Body of a request that is answered, and a key of its answer."""
    rows, draws, seed = rng.randint(1, 3), rng.randint(1, 4), rng.randrange(5)
    value = {"b64": base64.b64encode(png(8, 8)).decode()} if model.files else (
        _row(model.shape, (seed + 1) / 8))
    if rng.random() < 0.5:
        return {"instances": [value] * rows}, (model.name, rows, seed)
    return {"signature_name": "predict", "inputs": {
        model.input: [value] * rows, "num_samples": [draws], "seed": [[seed, 0]]}}, (
        model.name, rows, draws, seed)


def _row(shape, value):
    for size in reversed(shape):
        value = [value] * size
    return value


def body(rng, model):
    """Bytes of a body that is most often wrong."""
    if model.files and rng.random() < 0.5:
        told = base64.b64encode(file(rng)).decode()
        return json.dumps({"instances": [{"b64": told}]}).encode()
    asked, _ = good(rng, model)
    kind = rng.randrange(6)
    if kind == 0:
        asked["signature_name"] = rng.choice(_NAMES)
    elif kind == 1:
        asked[rng.choice(["instances", "inputs", "more", ""])] = rng.choice(_VALUES)
    elif kind < 5:
        _replace(rng, asked)
    text = json.dumps(asked).encode()
    if kind == 5:
        text = rng.choice([
            mutated(rng, text), b"[" * rng.randint(1, 20000), rng.randbytes(40),
            b"", b"\xff\xfe" + text, b'{"instances": ' + b"9" * 4400 + b"}",
            text.decode().encode("utf-16"), b'{"inputs": [1e99999]}', b"\0"])
    return text


def _replace(rng, value):
    """Puts something else at a random place of lists and dictionaries."""
    while True:
        key = rng.choice(list(value)) if isinstance(value, dict) else (
            rng.randrange(len(value)))
        inner = value[key]
        if isinstance(inner, list | dict) and inner and rng.random() < 0.6:
            value = inner
            continue
        if isinstance(value, dict) and rng.random() < 0.2:
            del value[key]
        else:
            value[key] = rng.choice(_VALUES)
        return


def target(rng, model):
    """Path of a request, right in half of the cases."""
    base = f"/v1/models/{model.name}"
    return f"{base}:predict" if rng.random() < 0.5 else (
        rng.choice(_TARGETS).format(base))


def head(rng, model, host):
    """Bytes for a socket, and the largest number of answers to them."""
    text = body(rng, model)
    path = f"/v1/models/{model.name}:predict"
    inner = f"GET /v1/models/{model.name} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()

    def request(*lines, sent=text, verb="POST", path=path, version="HTTP/1.1"):
        return b"\r\n".join([f"{verb} {path} {version}".encode(), *(
            line if isinstance(line, bytes) else line.encode() for line in lines)]) + (
            b"\r\n\r\n" + sent)

    named, size = f"Host: {host}", f"Content-Length: {len(text)}"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (
        text[:9], text[9:]) if part) + b"0\r\n\r\n"
    wrong = rng.choice([
        "-1", "-700000000", "+5", "0x10", "1e3", "5, 5", "", " ", "a", "5.0", "²",
        "9" * 30, str(2**62), "1_0", "0" * 5000, "5 5"])
    cases = [
        (request(named, f"Content-Length: {wrong}", sent=inner), 1),
        (request(named, size, size), 1),
        (request(named, "Content-Length: 3", size, sent=text + inner), 1),
        (request(named, f"Content-Length: {len(text) + rng.randint(1, 99)}"), 1),
        (request(named, f"Content-Length: {len(text)}", sent=text + inner), 2),
        (request(named, sent=b""), 1),
        (request(named, "Transfer-Encoding: chunked", sent=chunks), 1),
        (request(named, "Transfer-Encoding: chunked", sent=chunks + inner), 2),
        (request(named, "Transfer-Encoding: chunked", size, sent=chunks + inner), 1),
        (request(named, f"Transfer-Encoding: {rng.choice(_CODINGS)}", sent=inner), 1),
        (request(named, "Transfer-Encoding: chunked",
                 sent=mutated(rng, chunks)), 3),
        (request(named, "Transfer-Encoding: chunked", sent=rng.choice([
            b"-5\r\n", b"ffffffffffffffff\r\n", b"5;" + b"a" * 9000, b"+1\r\na\r\n",
            b"3\r\nabcd\r\n0\r\n\r\n", b"0\r\nX: " + b"a" * 70000, b"\r\n" * 9])), 1),
        (request(named, b"Content-Length : 5", sent=inner), 1),
        (request(named, b"no colon", size, sent=inner), 1),
        (request(named, b"X: a\r\n folded", size), 1),
        (request(named, b"X: a\0b", size), 1),
        (request(named, b"X: a\rContent-Length: 0", size), 1),
        (request(named, b": a", size), 1),
        (request(named, b"X: " + b"a" * rng.choice([100, 9000, 70000]), size), 1),
        (request(named, *[f"X-{k}: a" for k in range(rng.choice([90, 300]))], size), 1),
        (request(named, size, path="/" + "a" * rng.choice([9000, 70000])), 1),
        (request(size), 1), (request(named, named, size), 1),
        (request(f"Host: {rng.choice(['evil.example', '127.0.0.1.evil.example', ''])}",
                 size), 1),
        (request(named, "Origin: http://evil.example", size), 1),
        (request(named, "Expect: 100-continue", size), 2),
        (request(named, "Connection: close", size, sent=text + inner), 1),
        (request(named, size, path=target(rng, model)), 1),
        (request(named, path=target(rng, model), verb="GET", sent=b""), 1),
        (request(named, size, verb=rng.choice([
            "GET", "PUT", "OPTIONS", "DELETE", "TRACE", "CONNECT", "post", "P" * 99,
            "PO ST", "\x01", "PRI"])), 1),
        (request(named, size, version=rng.choice([
            "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/1", "http/1.1", "",
            "HTTP/1.1 ", "HTTP/-1.1", "HTTP/1.1.1"])), 1),
        (inner * rng.randint(2, 6), 6), (b"\r\n" * rng.randint(1, 5) + inner, 1),
        (inner.replace(b"\r\n", b"\n"), 1), (inner.replace(b"\r\n", b"\r"), 1),
        (b"GET /\r\n\r\n", 1), (b"", 0), (b"\r\n" * 5000, 1),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + rng.randbytes(64), 1),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 1), (rng.randbytes(50), 1),
        (mutated(rng, request(named, size)), 3),
        (inner[:rng.randrange(len(inner))], 1)]
    return rng.choice(cases)
